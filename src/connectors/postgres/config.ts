import { isIP } from 'node:net'
import { z } from 'zod'
import { bareHost, isLocalName, nonPublicReason } from '../egress/address.ts'
import type { Egress } from '../egress/egress.ts'
import { type SocketTarget, urlOfTarget } from '../egress/guarded-socket.ts'
import { authorityProblem, MAX_AUTHORITY_LENGTH } from '../egress/pem.ts'
import { isSandboxHost } from '../egress/sandbox-host.ts'

/** The longest name that PostgreSQL keeps, in bytes. */
const MAX_NAME = 63

export const postgresConfig = z.strictObject({
  host: z
    .string()
    .trim()
    .superRefine((value, context) => {
      const problem = hostProblem(value)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .meta({
      title: 'Host',
      description: 'The name or address of the server, without a port.',
      examples: ['db.example.com'],
    }),
  port: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(65535)
    .default(5432)
    .meta({ title: 'Port', description: 'The port of the server.' }),
  database: nameField().meta({
    title: 'Database',
    description: 'The name of the database. It must exist and have the encoding UTF8.',
    examples: ['search'],
  }),
  username: nameField().meta({
    title: 'User name',
    description: 'The role that writes. It needs privileges on one table only.',
    examples: ['millrace'],
    suggested: 'millrace',
  }),
  password: z
    .string()
    .min(1)
    .regex(/^[^\0]*$/, 'must not contain a NUL character')
    .meta({ title: 'Password', description: 'The password of the role.', secret: true }),
  table_name: z
    .string()
    .trim()
    .superRefine((value, context) => {
      const problem = tableProblem(value)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .default('elements')
    .meta({
      title: 'Table',
      description:
        'The name of the table, or schema.table; without a schema, public. The first run creates a missing table if the role may.',
      examples: ['elements', 'search.elements'],
      suggested: 'millrace.elements',
    }),
  ssl_mode: z.enum(['verify-full', 'prefer', 'disable']).optional().meta({
    title: 'Encryption',
    description:
      'verify-full encrypts and checks certificate and name of the server. prefer encrypts if the server can, and checks nothing. disable sends everything in clear text. Without a choice: prefer for private addresses and names without a dot unless a CA certificate is set, verify-full for all others.',
  }),
  ca_certificate: z
    .string()
    .trim()
    .max(MAX_AUTHORITY_LENGTH, { error: 'must have 65,536 characters or fewer', abort: true })
    .superRefine((value, context) => {
      const problem = authorityProblem(value)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .optional()
    .meta({
      title: 'CA certificate',
      description:
        "The certificate of the server's own certificate authority, in PEM. Not needed for public authorities.",
      advanced: true,
      widget: 'lines',
    }),
  batch_size: z.coerce
    .number<string | number>()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .meta({ title: 'Batch size', description: 'How many rows one statement writes.', advanced: true }),
})

export type PostgresConfig = z.infer<typeof postgresConfig>

export type TableName = { schema: string; table: string }

/** Always with a schema, so that `search_path` does not change the target. */
export function tableOf({ table_name }: Pick<PostgresConfig, 'table_name'>): TableName {
  const [first = '', second] = table_name.split('.')
  return second === undefined ? { schema: 'public', table: first } : { schema: first, table: second }
}

export type SslMode = NonNullable<PostgresConfig['ssl_mode']>

export function sslModeOf(config: PostgresConfig): SslMode {
  if (config.ssl_mode) return config.ssl_mode
  return config.ca_certificate === undefined && isInternal(config) ? 'prefer' : 'verify-full'
}

/** Servers in a private network seldom have a certificate for their name. */
function isInternal({ host, port }: PostgresConfig): boolean {
  const name = bareHost(urlOfTarget({ host, port, encrypted: true }).hostname)
  if (isIP(name)) return nonPublicReason(name) !== null
  return isLocalName(name) || !name.includes('.')
}

export function socketTarget(config: PostgresConfig): SocketTarget {
  const { host, port } = config
  return { host, port, encrypted: sslModeOf(config) === 'verify-full' }
}

/** Public hosts need a verified certificate; others have to be allowed. */
export function refuseServer(config: PostgresConfig, egress: Egress): { field: string; msg: string }[] {
  if (isSandboxHost(config.host)) {
    if (egress.sandbox) return []
    return [{ field: 'host', msg: 'the sandbox is switched off by the service operator (MILLRACE_SANDBOX)' }]
  }
  const target = socketTarget(config)
  if (config.ssl_mode && !target.encrypted && !egress.isAllowed(urlOfTarget(target)))
    return [
      {
        field: 'ssl_mode',
        msg: `a connection without a verified certificate needs a host that the service operator allows with MILLRACE_ALLOWED_HOSTS=${urlOfTarget(target).host}`,
      },
    ]
  const refusal = egress.refusal(urlOfTarget(target))
  return refusal ? [{ field: 'host', msg: refusal }] : []
}

function nameField() {
  return z
    .string()
    .trim()
    .min(1)
    .regex(/^[^\0]+$/, 'must not contain a NUL character')
    .refine((value) => Buffer.byteLength(value) <= MAX_NAME, `must not be longer than ${MAX_NAME} bytes`)
}

function hostProblem(value: string): string | null {
  if (value === '') return 'must not be empty'
  if (value.includes('://')) return 'must be a host alone, such as db.example.com, without a scheme'
  const url = URL.parse(`https://${value.includes(':') && !value.startsWith('[') ? `[${value}]` : value}`)
  if (url?.port !== '' || url.pathname !== '/' || /[@?#\\/\s]/.test(value))
    return 'must be a host name or an address, without port, user or path'
  if (value.startsWith('[')) return 'must be an address without brackets'
  return null
}

function tableProblem(value: string): string | null {
  const parts = value.split('.')
  if (parts.length > 2 || parts.some((part) => part.trim() === '')) return 'must be table or schema.table'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are refused
  if (/["\x00-\x1f]/.test(value)) return 'must not contain quotes or control characters'
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME))
    return `must not have a part longer than ${MAX_NAME} bytes`
  if (/^pg_|^information_schema$/i.test(parts.length === 2 ? parts[0]! : ''))
    return 'must not be in a schema of the server'
  return null
}
