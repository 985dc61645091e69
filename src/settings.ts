import { z } from 'zod'
import { networkVariables } from './connectors/egress/network-settings.ts'
import {
  allowedHosts,
  email,
  headerText,
  hostName,
  httpUrl,
  masterKeys,
  modelPatterns,
  password,
  path,
  postgresUrl,
  proxyNetworks,
  publicUrls,
  wholeNumber,
} from './setting-parsers.ts'

/** A variable of the environment. */
export type Setting<Value = unknown> = {
  name: string
  parser: z.ZodType
  /** The value if the variable is not set. */
  fallback: Value
  /** Whether messages may show the value; all others count as secrets. */
  isPublic: boolean
  /** How the documentation shows the default. */
  defaultText: string
  text: string
}

/** `default` is null for a variable without one; `defaultText` says what happens then. */
type About<Value> = { default?: Value; defaultText?: string; isPublic?: boolean; text: string }

export const SERVICE_ROLES = ['all', 'api', 'worker'] as const
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** All variables except model endpoints; `npm run docs` writes them into docs/settings.md. */
export const settings = {
  port: count('PORT', [0, 65_535], { default: 8080, text: 'port of the web page and the API' }),
  host: setting('HOST', hostName, {
    default: '127.0.0.1',
    isPublic: true,
    text: 'address on which it listens',
  }),
  databaseUrl: setting('DATABASE_URL', postgresUrl, {
    defaultText: 'embedded',
    text: 'your own PostgreSQL, directly or through a pooler in session mode',
  }),
  dataDir: setting('MILLRACE_DATA_DIR', path, {
    defaultText: '`~/.local/share/millrace` (or below `XDG_DATA_HOME`), as root `/var/lib/millrace`',
    text: 'the embedded database and the key file',
  }),
  masterKeys: setting('MILLRACE_MASTER_KEY', masterKeys, {
    defaultText: 'a file in the data directory',
    text: '32 bytes in base64 or hex, or several as `id:key`, comma-separated, the current one first ([changing it](master-key.md)); back it up',
  }),
  setupEmail: setting('MILLRACE_SETUP_EMAIL', email, {
    isPublic: true,
    text: 'e-mail address of the first account, created if there is none; needs the password too',
  }),
  setupPassword: setting('MILLRACE_SETUP_PASSWORD', password, {
    text: 'password of the first account, 12 to 128 characters',
  }),
  setupApiKey: setting('MILLRACE_SETUP_API_KEY', headerText(32), {
    text: '32 to 256 printable ASCII characters; created for the first workspace if the database has no key',
  }),
  allowedHosts: setting('MILLRACE_ALLOWED_HOSTS', allowedHosts, {
    default: [],
    defaultText: '–',
    text: 'comma-separated `host` or `host:port`, `*` for one label: hosts that may be private, self-managed or plain http',
  }),
  role: choice('MILLRACE_ROLE', SERVICE_ROLES, {
    default: 'all',
    text: '`api` or `worker`, also as `--role`; any number of each on one database',
  }),
  oidcIssuer: setting('MILLRACE_OIDC_ISSUER', httpUrl, {
    text: 'sign-in through an identity provider; register the redirect address `https://HOST/api/auth/callback/oidc` there',
  }),
  oidcClientId: setting('MILLRACE_OIDC_CLIENT_ID', z.string(), {
    text: 'needed with the issuer',
  }),
  oidcClientSecret: setting('MILLRACE_OIDC_CLIENT_SECRET', z.string(), {
    text: 'if the identity provider needs it',
  }),
  rateLimit: count('MILLRACE_RATE_LIMIT', [1, 1_000_000], {
    default: 600,
    text: 'requests per minute and key, or person',
  }),
  personRateLimit: count('MILLRACE_PERSON_RATE_LIMIT', [1, 1_000_000], {
    default: 120,
    text: 'requests per minute and person at `/mcp`',
  }),
  personTokenHours: count('MILLRACE_PERSON_TOKEN_HOURS', [1, 8760], {
    default: 24,
    text: 'longest lifetime of a [person token](identities.md)',
  }),
  auditDays: count('MILLRACE_AUDIT_DAYS', [1, 36_500], {
    default: 400,
    text: 'how long entries of the [audit log](audit-log.md) are kept',
  }),
  workspaceRateLimit: count('MILLRACE_WORKSPACE_RATE_LIMIT', [1, 10_000_000], {
    default: 6000,
    text: 'requests per minute and workspace ([all limits](limits.md))',
  }),
  maxKeys: count('MILLRACE_MAX_KEYS', [1, 1_000_000], {
    default: 100,
    text: 'API keys per workspace; personal tokens count separately, per person',
  }),
  maxWorkspaces: count('MILLRACE_MAX_WORKSPACES', [1, 1_000_000], {
    default: 100,
    text: 'workspaces of the service',
  }),
  allowedModels: setting('MILLRACE_ALLOWED_MODELS', modelPatterns, {
    default: [],
    defaultText: 'all',
    isPublic: true,
    text: 'models that workflows may use, such as `openai/gpt-4o*`',
  }),
  modelTokensPerDay: count('MILLRACE_MODEL_TOKENS_PER_DAY', [1, 1_000_000_000_000], {
    default: 100_000_000,
    text: 'model tokens per day and workspace',
  }),
  uploadJobs: count('MILLRACE_UPLOAD_JOBS', [1, 100_000], {
    default: 50,
    text: 'active jobs of uploaded files per workspace',
  }),
  uploadQuotaMb: count('MILLRACE_UPLOAD_QUOTA_MB', [1, 10_000_000], {
    default: 1000,
    text: 'uploaded files of a workspace that wait for their job',
  }),
  outputQuotaMb: count('MILLRACE_OUTPUT_QUOTA_MB', [1, 10_000_000], {
    default: 5000,
    text: 'kept results of uploaded files of a workspace',
  }),
  publicUrls: setting('MILLRACE_PUBLIC_URL', publicUrls, {
    default: [],
    defaultText: '–',
    isPublic: true,
    text: 'comma-separated addresses under which people reach the service, with a path if a [reverse proxy](reverse-proxy.md) serves it below one; `/mcp` refuses other host names, except `localhost` and IP addresses',
  }),
  // Fewer would let one waiting request block another.
  databaseConnections: count('MILLRACE_DATABASE_CONNECTIONS', [5, 1000], {
    default: 8,
    text: 'database connections of a process in total, 5 or more',
  }),
  workerConcurrency: count('MILLRACE_WORKER_CONCURRENCY', [1, 100], {
    default: 3,
    text: 'slices of up to 150 documents that a worker processes at once for one workspace',
  }),
  drainSeconds: count('MILLRACE_DRAIN_SECONDS', [0, 3600], {
    default: 30,
    text: 'time for running work to finish after SIGTERM; interrupted work continues in another worker and uses up no retry',
  }),
  // Null means the default port, which may be taken.
  healthPort: setting('MILLRACE_HEALTH_PORT', wholeNumber(0, 65_535), {
    defaultText: '8081',
    isPublic: true,
    text: 'port of a worker for `/healthz`, `/readyz` and `/metrics`, on `HOST`',
  }),
  metricsToken: setting('MILLRACE_METRICS_TOKEN', headerText(16), {
    text: 'bearer token that `/metrics` then needs',
  }),
  logFormat: setting('MILLRACE_LOG_FORMAT', z.enum(['json', 'text'], 'json or text'), {
    defaultText: 'text on a terminal, else json',
    isPublic: true,
    text: '`json` or `text`',
  }),
  egressProxy: setting('MILLRACE_EGRESS_PROXY', networkVariables.MILLRACE_EGRESS_PROXY, {
    text: '[proxy](network.md) for all outgoing connections except PostgreSQL, such as `http://user:password@proxy.example:3128`',
  }),
  noProxy: setting('NO_PROXY', networkVariables.NO_PROXY, {
    defaultText: 'hosts of `MILLRACE_ALLOWED_HOSTS`',
    text: 'hosts that are reached without the proxy',
  }),
  certificates: setting('MILLRACE_CA_FILE', networkVariables.MILLRACE_CA_FILE, {
    text: 'PEM file of additional certificate authorities',
  }),
  sampleSource: onOff('MILLRACE_SAMPLE_WIKI', '`off` disables the [sample wiki](connectors/sample.md)'),
  sandbox: onOff(
    'MILLRACE_SANDBOX',
    "`off` disables the [sandbox](sandbox.md) in the service's own database",
  ),
  sandboxMb: count('MILLRACE_SANDBOX_MB', [1, 1_000_000], {
    default: 1000,
    text: 'what one sandbox may hold',
  }),
  trustedProxies: setting('MILLRACE_TRUSTED_PROXIES', proxyNetworks, {
    default: ['127.0.0.0/8', '::1/128'],
    defaultText: '127.0.0.0/8, ::1/128',
    isPublic: true,
    text: 'comma-separated addresses or networks whose `X-Forwarded-For` and `-Proto` are trusted',
  }),
  logLevel: choice('LOG_LEVEL', LOG_LEVELS, { default: 'info', text: LOG_LEVELS.join(', ') }),
}

function setting<Value, Fallback extends Value | null = null>(
  name: string,
  parser: z.ZodType<Value>,
  about: About<Fallback>,
): Setting<NonNullable<Value> | Fallback> {
  return {
    name,
    parser: parser.optional(),
    // Without a default, `Fallback` is null.
    fallback: (about.default ?? null) as Fallback,
    isPublic: about.isPublic ?? false,
    defaultText: about.defaultText ?? String(about.default ?? '–'),
    text: about.text,
  }
}

function count(name: string, [min, max]: [number, number], about: About<number>): Setting<number> {
  return setting(name, wholeNumber(min, max), { ...about, isPublic: true })
}

function choice<const T extends string>(name: string, values: readonly T[], about: About<T>): Setting<T> {
  return setting(name, z.enum(values, `one of ${values.join(', ')}`), { ...about, isPublic: true })
}

function onOff(name: string, text: string): Setting<boolean> {
  const parser = z.enum(['on', 'off'], 'on or off').transform((value) => value === 'on')
  return setting(name, parser, { default: true, defaultText: 'on', isPublic: true, text })
}
