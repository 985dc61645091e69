import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import { PASSWORD_LENGTH } from './accounts/password-length.ts'
import { type AllowedHost, parseAllowedHosts } from './connectors/egress/allowed-hosts.ts'
import {
  type NetworkSettings,
  networkSettingsOf,
  networkVariables,
} from './connectors/egress/network-settings.ts'
import { NoProxyError } from './connectors/egress/no-proxy.ts'
import { AppError } from './errors.ts'
import type { UploadQuotas } from './jobs/upload-quotas.ts'
import type { AllowedModels } from './pipeline/models/allowed-models.ts'
import { type Endpoints, endpointNeeds, endpointsOf, endpointVariables } from './pipeline/models/endpoints.ts'
import { isProvider, PROVIDERS } from './pipeline/models/providers.ts'
import { removeVendorVariables } from './pipeline/models/vendor-variables.ts'
import { parseMasterKeys } from './store/master-key-list.ts'
import type { MasterKey } from './store/vault.ts'

/** The settings of the process. Only this file reads `process.env`, once. */
export type Environment = {
  port: number
  host: string
  role: ServiceRole
  /** The port of a worker for probes and metrics; null means the default, which may be taken. */
  healthPort: number | null
  /** Null: text on a terminal, JSON otherwise. */
  logFormat: 'json' | 'text' | null
  logLevel: LogLevel
  /** The service operator's PostgreSQL; null means the embedded one in `dataDir`. */
  databaseUrl: string | null
  dataDir: string
  /** The current one first; null means the key file in `dataDir`. */
  masterKeys: MasterKey[] | null
  /** Hosts that may use http, private addresses and self-hosted systems. */
  allowedHosts: AllowedHost[]
  setup: { email: string; password: string } | null
  /** A key for the first workspace, created once on a database without keys. */
  setupApiKey: string | null
  oidc: { issuer: string; clientId: string; clientSecret: string | null } | null
  /** Requests per minute and key. */
  rateLimit: number
  /** Requests per minute and person at `/mcp`. */
  personRateLimit: number
  /** The longest lifetime of a person token. */
  personTokenHours: number
  /** How long audit entries are kept. */
  auditDays: number
  /** Requests per minute of all callers of a workspace. */
  workspaceRateLimit: number
  /** Keys per workspace; personal tokens count separately, per person. */
  maxKeys: number
  maxWorkspaces: number
  /** Needed to read `/metrics`; null leaves them open. */
  metricsToken: string | null
  /** Limits of a workspace for jobs of uploaded files. */
  uploadQuotas: UploadQuotas
  /** Addresses under which people reach the service, without a final slash. */
  publicUrls: URL[]
  /** Database connections of this process in total. */
  databaseConnections: number
  /** Slices that a worker processes at once. */
  workerConcurrency: number
  /** How long running work may go on after a signal to stop. */
  drainSeconds: number
  /** Whether the sample source can be connected. */
  sampleSource: boolean
  /** Whether workspaces can have a destination in the service's own database. */
  sandbox: boolean
  /** What one sandbox may hold. */
  sandboxMb: number
  /** Addresses and networks whose `X-Forwarded-` headers are trusted. */
  trustedProxies: string[]
  /** How this process reaches the network: the proxy and additional authorities. */
  network: NetworkSettings
  /** Model endpoints: the only hosts that receive text or images. */
  models: Endpoints
  /** Patterns of the models that workflows may use; empty for all. */
  allowedModels: AllowedModels
  modelTokensPerDay: number
}
export type ServiceRole = (typeof roles)[number]
export type LogLevel = (typeof logLevels)[number]

/** One line for the service operator, without secrets; the process exits with code 2. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

/** Reads our variables, and removes those that vendors' clients would read. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  argv: string[] = process.argv.slice(2),
  machine: Machine = { uid: process.getuid?.(), home: homedir() },
): Environment {
  const flags = readFlags(argv)
  const given = Object.fromEntries(Object.keys(variables).map((name) => [name, env[name] || undefined]))
  if (flags.role !== undefined) given.MILLRACE_ROLE = flags.role

  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new EnvironmentError(errorLine(parsed.error, given))
  const values = parsed.data
  removeVendorVariables(env)
  return {
    port: values.PORT,
    host: values.HOST,
    role: values.MILLRACE_ROLE,
    healthPort: values.MILLRACE_HEALTH_PORT ?? null,
    logFormat: values.MILLRACE_LOG_FORMAT ?? null,
    logLevel: values.LOG_LEVEL,
    databaseUrl: values.DATABASE_URL ?? null,
    dataDir: values.MILLRACE_DATA_DIR ?? defaultDataDir(env.XDG_DATA_HOME, machine),
    masterKeys: values.MILLRACE_MASTER_KEY ?? null,
    allowedHosts: values.MILLRACE_ALLOWED_HOSTS ?? [],
    setup: setupOf(values),
    setupApiKey: values.MILLRACE_SETUP_API_KEY ?? null,
    oidc: oidcOf(values),
    rateLimit: values.MILLRACE_RATE_LIMIT,
    personRateLimit: values.MILLRACE_PERSON_RATE_LIMIT,
    personTokenHours: values.MILLRACE_PERSON_TOKEN_HOURS,
    auditDays: values.MILLRACE_AUDIT_DAYS,
    workspaceRateLimit: values.MILLRACE_WORKSPACE_RATE_LIMIT,
    maxKeys: values.MILLRACE_MAX_KEYS,
    maxWorkspaces: values.MILLRACE_MAX_WORKSPACES,
    metricsToken: values.MILLRACE_METRICS_TOKEN ?? null,
    uploadQuotas: {
      activeJobs: values.MILLRACE_UPLOAD_JOBS,
      uploadBytes: values.MILLRACE_UPLOAD_QUOTA_MB * MEGABYTE,
      outputBytes: values.MILLRACE_OUTPUT_QUOTA_MB * MEGABYTE,
    },
    publicUrls: values.MILLRACE_PUBLIC_URL ?? [],
    databaseConnections: values.MILLRACE_DATABASE_CONNECTIONS,
    workerConcurrency: values.MILLRACE_WORKER_CONCURRENCY,
    drainSeconds: values.MILLRACE_DRAIN_SECONDS,
    sampleSource: values.MILLRACE_SAMPLE_WIKI === 'on',
    sandbox: values.MILLRACE_SANDBOX === 'on',
    sandboxMb: values.MILLRACE_SANDBOX_MB,
    trustedProxies: values.MILLRACE_TRUSTED_PROXIES ?? ['127.0.0.0/8', '::1/128'],
    network: networkSettings(values),
    models: endpointsOf(values),
    allowedModels: values.MILLRACE_ALLOWED_MODELS ?? [],
    modelTokensPerDay: values.MILLRACE_MODEL_TOKENS_PER_DAY,
  }
}

/** The user of the process; the default data directory depends on it. */
export type Machine = { uid: number | undefined; home: string }

const MEGABYTE = 1024 * 1024
const roles = ['all', 'api', 'worker'] as const
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

const passwordRule = `${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters long`

/** A message completes "NAME must be …", or begins with the name. */
const variables = {
  PORT: wholeNumber(0, 65_535).default(8080),
  HOST: z
    .string()
    .refine((host) => isIP(host) !== 0 || isHostName(host), 'an address or a host name')
    .default('127.0.0.1'),
  MILLRACE_ROLE: z.enum(roles, `one of ${roles.join(', ')}`).default('all'),
  MILLRACE_HEALTH_PORT: wholeNumber(0, 65_535).optional(),
  MILLRACE_LOG_FORMAT: z.enum(['json', 'text'], 'json or text').optional(),
  LOG_LEVEL: z.enum(logLevels, `one of ${logLevels.join(', ')}`).default('info'),
  DATABASE_URL: z
    .string()
    .refine((url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url), {
      error: 'a postgresql:// address',
      abort: true,
    })
    .refine(isDecodable, 'an address in which every % begins an escape; write % in a password as %25')
    .optional(),
  MILLRACE_DATA_DIR: z
    .string()
    .transform((path) => resolve(path))
    .optional(),
  MILLRACE_MASTER_KEY: z.string().transform(toKeys).optional(),
  MILLRACE_ALLOWED_HOSTS: z.string().transform(toHosts).optional(),
  MILLRACE_SETUP_EMAIL: z.email('an e-mail address').optional(),
  MILLRACE_SETUP_PASSWORD: z
    .string()
    .min(PASSWORD_LENGTH.min, passwordRule)
    .max(PASSWORD_LENGTH.max, passwordRule)
    .optional(),
  // The key is sent in a header, which limits its characters.
  MILLRACE_SETUP_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{32,256}$/, '32 to 256 printable ASCII characters without spaces')
    .optional(),
  MILLRACE_OIDC_ISSUER: z.url({ protocol: /^https?$/, error: 'an http(s) address' }).optional(),
  MILLRACE_OIDC_CLIENT_ID: z.string().optional(),
  MILLRACE_OIDC_CLIENT_SECRET: z.string().optional(),
  MILLRACE_RATE_LIMIT: wholeNumber(1, 1_000_000).default(600),
  MILLRACE_PERSON_RATE_LIMIT: wholeNumber(1, 1_000_000).default(120),
  MILLRACE_PERSON_TOKEN_HOURS: wholeNumber(1, 8760).default(24),
  MILLRACE_AUDIT_DAYS: wholeNumber(1, 36_500).default(400),
  MILLRACE_WORKSPACE_RATE_LIMIT: wholeNumber(1, 10_000_000).default(6000),
  MILLRACE_MAX_KEYS: wholeNumber(1, 1_000_000).default(100),
  MILLRACE_MAX_WORKSPACES: wholeNumber(1, 1_000_000).default(100),
  // Sent in a header, which limits its characters.
  MILLRACE_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,256}$/, '16 to 256 printable ASCII characters without spaces')
    .optional(),
  MILLRACE_ALLOWED_MODELS: z.string().transform(toModelPatterns).optional(),
  MILLRACE_MODEL_TOKENS_PER_DAY: wholeNumber(1, 1_000_000_000_000).default(100_000_000),
  MILLRACE_UPLOAD_JOBS: wholeNumber(1, 100_000).default(50),
  MILLRACE_UPLOAD_QUOTA_MB: wholeNumber(1, 10_000_000).default(1000),
  MILLRACE_OUTPUT_QUOTA_MB: wholeNumber(1, 10_000_000).default(5000),
  MILLRACE_PUBLIC_URL: z.string().transform(toPublicUrls).optional(),
  // Fewer would let one waiting request block another.
  MILLRACE_DATABASE_CONNECTIONS: wholeNumber(5, 1000).default(8),
  MILLRACE_WORKER_CONCURRENCY: wholeNumber(1, 100).default(3),
  MILLRACE_DRAIN_SECONDS: wholeNumber(0, 3600).default(30),
  MILLRACE_SAMPLE_WIKI: z.enum(['on', 'off'], 'on or off').default('on'),
  MILLRACE_SANDBOX: z.enum(['on', 'off'], 'on or off').default('on'),
  MILLRACE_SANDBOX_MB: wholeNumber(1, 1_000_000).default(1000),
  MILLRACE_TRUSTED_PROXIES: z.string().transform(toProxies).optional(),
  ...networkVariables,
  ...endpointVariables,
}
/** Variables whose values messages may show; all others count as secrets. */
const publicVariables = new Set([
  'PORT',
  'HOST',
  'MILLRACE_ROLE',
  'MILLRACE_HEALTH_PORT',
  'MILLRACE_LOG_FORMAT',
  'LOG_LEVEL',
  'MILLRACE_SETUP_EMAIL',
  'MILLRACE_RATE_LIMIT',
  'MILLRACE_PERSON_RATE_LIMIT',
  'MILLRACE_PERSON_TOKEN_HOURS',
  'MILLRACE_AUDIT_DAYS',
  'MILLRACE_WORKSPACE_RATE_LIMIT',
  'MILLRACE_MAX_KEYS',
  'MILLRACE_MAX_WORKSPACES',
  'MILLRACE_ALLOWED_MODELS',
  'MILLRACE_MODEL_TOKENS_PER_DAY',
  'MILLRACE_UPLOAD_JOBS',
  'MILLRACE_UPLOAD_QUOTA_MB',
  'MILLRACE_OUTPUT_QUOTA_MB',
  'MILLRACE_PUBLIC_URL',
  'MILLRACE_DATABASE_CONNECTIONS',
  'MILLRACE_WORKER_CONCURRENCY',
  'MILLRACE_DRAIN_SECONDS',
  'MILLRACE_SAMPLE_WIKI',
  'MILLRACE_SANDBOX',
  'MILLRACE_SANDBOX_MB',
  'MILLRACE_TRUSTED_PROXIES',
])
const schema = z.object(variables).superRefine(requireTogether)
type Values = z.infer<z.ZodObject<typeof variables>>

function readFlags(argv: string[]): { role?: string } {
  try {
    return parseArgs({ args: argv, options: { role: { type: 'string' } }, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/\.\s|\n/)[0] ?? '') : ''
    throw new EnvironmentError(`${reason}; the only option is --role ${roles.join('|')}`)
  }
}

function errorLine(error: z.ZodError, given: Record<string, string | undefined>): string {
  const lines = error.issues.map((issue) => {
    const name = String(issue.path[0])
    if (issue.message.startsWith(`${name}: `)) return issue.message
    const value = given[name]
    const actual = publicVariables.has(name) && value ? `, not ${JSON.stringify(value.slice(0, 100))}` : ''
    return `${name} must be ${issue.message}${actual}`
  })
  return [...new Set(lines)].join('; ')
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,13}$/, `a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((number) => number >= min && number <= max, `a whole number from ${min} to ${max}`)
}

function toKeys(text: string, context: z.RefinementCtx): MasterKey[] {
  const parsed = parseMasterKeys(text.split(','))
  if ('keys' in parsed) return parsed.keys
  context.addIssue(parsed.problem)
  return z.NEVER
}

function toHosts(text: string, context: z.RefinementCtx): AllowedHost[] {
  try {
    return parseAllowedHosts(text)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    context.addIssue(error.message)
    return z.NEVER
  }
}

/** A typing error in a provider would refuse every model. */
function toModelPatterns(text: string, context: z.RefinementCtx): string[] {
  const patterns = text.split(',').flatMap((entry) => entry.trim() || [])
  const isPattern = (entry: string) => {
    const provider = /^([a-z_*]+)\/\S+$/.exec(entry)?.[1]
    return provider !== undefined && (provider.includes('*') || isProvider(provider))
  }
  if (patterns.every(isPattern)) return patterns
  context.addIssue(`patterns such as openai/gpt-4o*, comma-separated; providers are ${PROVIDERS.join(', ')}`)
  return z.NEVER
}

/** Names are refused: trust must not depend on DNS. */
function toProxies(text: string, context: z.RefinementCtx): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  // A /0 network would let every client choose its own address.
  const isWrong = (entry: string) =>
    !(ipaddr.isValidCIDR(entry) ? !entry.endsWith('/0') : isIP(entry) !== 0 && !entry.includes('%'))
  if (!entries.some(isWrong)) return entries
  context.addIssue('addresses such as 10.0.0.5 or networks such as 10.0.0.0/8, comma-separated')
  return z.NEVER
}

/** A path is the one that a proxy removes. */
function toPublicUrls(text: string, context: z.RefinementCtx): URL[] {
  const urls = text.split(',').map((entry) => URL.parse(entry.trim()))
  // The path becomes part of the page and of cookies.
  const isPlain = (url: URL | null): url is URL =>
    /^https?:$/.test(url?.protocol ?? '') &&
    url?.href === `${url?.origin}${url?.pathname}` &&
    /^(\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname)
  const hosts = new Set(urls.map((url) => url?.hostname))
  if (urls.every(isPlain) && hosts.size === urls.length) return urls
  context.addIssue(
    'addresses such as https://millrace.example.com or https://tools.example.com/millrace, comma-separated, one per host name',
  )
  return z.NEVER
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch {
    return false
  }
}

function isHostName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9_]([a-z0-9_-]*)(\.[a-z0-9_]([a-z0-9_-]*))*\.?$/i.test(text)
}

/** Variables that require others. */
function requireTogether(values: Values, context: z.RefinementCtx): void {
  const need = (name: keyof Values, other: keyof Values) => {
    if (values[other] && !values[name])
      context.addIssue({ code: 'custom', path: [name], message: `set if ${other} is set` })
  }
  need('MILLRACE_SETUP_PASSWORD', 'MILLRACE_SETUP_EMAIL')
  need('MILLRACE_SETUP_EMAIL', 'MILLRACE_SETUP_PASSWORD')
  need('MILLRACE_OIDC_CLIENT_ID', 'MILLRACE_OIDC_ISSUER')
  need('MILLRACE_OIDC_ISSUER', 'MILLRACE_OIDC_CLIENT_ID')
  need('MILLRACE_OIDC_ISSUER', 'MILLRACE_OIDC_CLIENT_SECRET')
  for (const [name, other] of endpointNeeds) need(name, other)
}

function setupOf(values: Values): Environment['setup'] {
  const { MILLRACE_SETUP_EMAIL: email, MILLRACE_SETUP_PASSWORD: password } = values
  return email && password ? { email, password } : null
}

function networkSettings(values: Values): NetworkSettings {
  try {
    return networkSettingsOf(values, values.MILLRACE_ALLOWED_HOSTS ?? [])
  } catch (error) {
    if (error instanceof NoProxyError) throw new EnvironmentError(error.message)
    throw error
  }
}

function oidcOf(values: Values): Environment['oidc'] {
  const { MILLRACE_OIDC_ISSUER: issuer, MILLRACE_OIDC_CLIENT_ID: clientId } = values
  return issuer && clientId
    ? { issuer, clientId, clientSecret: values.MILLRACE_OIDC_CLIENT_SECRET ?? null }
    : null
}

function defaultDataDir(xdgDataHome: string | undefined, { uid, home }: Machine): string {
  if (uid === 0) return '/var/lib/millrace'
  // The XDG specification says to ignore relative paths.
  const base = xdgDataHome && isAbsolute(xdgDataHome) ? xdgDataHome : join(home, '.local', 'share')
  return join(base, 'millrace')
}
