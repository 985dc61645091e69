import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { type NetworkSettings, networkSettingsOf } from './connectors/egress/network-settings.ts'
import { NoProxyError } from './connectors/egress/no-proxy.ts'
import { endpointNeeds, endpointsOf, endpointVariables } from './pipeline/models/endpoints.ts'
import { removeVendorVariables } from './pipeline/models/vendor-variables.ts'
import { SERVICE_ROLES, type Setting, settings } from './settings.ts'

/** The settings of the process. Only this file reads `process.env`, once. */
export type Environment = ReturnType<typeof environmentOf>

/** One line for the service operator, without secrets; the process exits with code 2. */
export class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError'
}

/** The user of the process; the default data directory depends on it. */
export type Machine = { uid: number | undefined; home: string }

const MEGABYTE = 1024 * 1024
const rows: Setting[] = Object.values(settings)
const parsers = Object.fromEntries(rows.map(({ name, parser }) => [name, parser]))
const schema = z.object({ ...parsers, ...endpointVariables }).superRefine(requireTogether)
const publicVariables = new Set(rows.filter(({ isPublic }) => isPublic).map(({ name }) => name))

/** Every variable that the service reads as its own. */
export const variableNames = Object.keys(schema.shape)

/** If the second variable is set, the first must be too. */
const needs: [string, string][] = [
  ['MILLRACE_SETUP_PASSWORD', 'MILLRACE_SETUP_EMAIL'],
  ['MILLRACE_SETUP_EMAIL', 'MILLRACE_SETUP_PASSWORD'],
  ['MILLRACE_OIDC_CLIENT_ID', 'MILLRACE_OIDC_ISSUER'],
  ['MILLRACE_OIDC_ISSUER', 'MILLRACE_OIDC_CLIENT_ID'],
  ['MILLRACE_OIDC_ISSUER', 'MILLRACE_OIDC_CLIENT_SECRET'],
  ...endpointNeeds,
]

/** Reads our variables, and removes those that vendors' clients would read. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  argv: string[] = process.argv.slice(2),
  machine: Machine = { uid: process.getuid?.(), home: homedir() },
): Environment {
  const flags = readFlags(argv)
  const given = Object.fromEntries(variableNames.map((name) => [name, givenValue(env, name)]))
  if (flags.role !== undefined) given.MILLRACE_ROLE = flags.role

  const parsed = schema.safeParse(given)
  if (!parsed.success) throw new EnvironmentError(errorLine(parsed.error, given))
  removeVendorVariables(env)
  return environmentOf(parsed.data, defaultDataDir(env.XDG_DATA_HOME, machine))
}

type Values = z.infer<typeof schema>
type Fields = { [Name in keyof typeof settings]: (typeof settings)[Name]['fallback'] }

function environmentOf(values: Values, defaultDataDir: string) {
  const { setupEmail, setupPassword, oidcIssuer, oidcClientId, oidcClientSecret, ...others } =
    fieldsOf(values)
  const { uploadJobs, uploadQuotaMb, outputQuotaMb, egressProxy, noProxy, certificates, ...single } = others
  return {
    ...single,
    dataDir: single.dataDir ?? defaultDataDir,
    setup: setupEmail && setupPassword ? { email: setupEmail, password: setupPassword } : null,
    oidc:
      oidcIssuer && oidcClientId
        ? { issuer: oidcIssuer, clientId: oidcClientId, clientSecret: oidcClientSecret }
        : null,
    /** Limits of a workspace for jobs of uploaded files. */
    uploadQuotas: {
      activeJobs: uploadJobs,
      uploadBytes: uploadQuotaMb * MEGABYTE,
      outputBytes: outputQuotaMb * MEGABYTE,
    },
    /** How this process reaches the network: the proxy and additional authorities. */
    network: networkOf({ egressProxy, noProxy, certificates }, single.allowedHosts),
    /** Model endpoints: the only hosts that receive text or images. */
    models: endpointsOf(values),
  }
}

function fieldsOf(values: Record<string, unknown>): Fields {
  const entries = Object.entries(settings).map(([field, { name, fallback }]) => [
    field,
    values[name] ?? fallback,
  ])
  // The parser of each row yields the type of its fallback.
  return Object.fromEntries(entries) as Fields
}

/** Containers pass secrets as files. */
function givenValue(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const path = env[`${name}_FILE`]
  if (!path || publicVariables.has(name)) return env[name] || undefined
  if (env[name]) throw new EnvironmentError(`set either ${name} or ${name}_FILE`)
  let value: string
  try {
    value = readFileSync(path, 'utf8').trimEnd()
  } catch (error) {
    // Somebody may have set the secret itself, so the message has no value.
    throw new EnvironmentError(
      `the file of ${name}_FILE cannot be read (${(error as { code?: string }).code})`,
    )
  }
  // Without its secret a service would start with less protection, or an empty database.
  if (value === '') throw new EnvironmentError(`the file of ${name}_FILE is empty`)
  return value
}

function readFlags(argv: string[]): { role?: string } {
  try {
    return parseArgs({ args: argv, options: { role: { type: 'string' } }, strict: true }).values
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split(/\.\s|\n/)[0] ?? '') : ''
    throw new EnvironmentError(`${reason}; the only option is --role ${SERVICE_ROLES.join('|')}`)
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

function requireTogether(values: Record<string, unknown>, context: z.RefinementCtx): void {
  for (const [name, other] of needs)
    if (values[other] && !values[name])
      context.addIssue({ code: 'custom', path: [name], message: `set if ${other} is set` })
}

function networkOf(
  { egressProxy, noProxy, certificates }: Pick<Fields, 'egressProxy' | 'noProxy' | 'certificates'>,
  allowedHosts: Fields['allowedHosts'],
): NetworkSettings {
  const values = {
    MILLRACE_EGRESS_PROXY: egressProxy ?? undefined,
    NO_PROXY: noProxy ?? undefined,
    MILLRACE_CA_FILE: certificates ?? undefined,
  }
  try {
    return networkSettingsOf(values, allowedHosts)
  } catch (error) {
    if (error instanceof NoProxyError) throw new EnvironmentError(error.message)
    throw error
  }
}

function defaultDataDir(xdgDataHome: string | undefined, { uid, home }: Machine): string {
  if (uid === 0) return '/var/lib/millrace'
  // The XDG specification says to ignore relative paths.
  const base = xdgDataHome && isAbsolute(xdgDataHome) ? xdgDataHome : join(home, '.local', 'share')
  return join(base, 'millrace')
}
