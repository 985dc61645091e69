import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { TlsTrust } from '../egress/connect.ts'
import { certificatesIn } from '../egress/pem.ts'
import type { DestinationType } from '../type.ts'
import { apiKey, byApiKey, type Connection, host, indexName, toList } from './config.ts'
import { searchindex } from './type.ts'

const MODES = 'either search_api_key, or username and password'
/** A colon would end the name, a line break the header. */
const NAME = /^[^:\r\n]+$/

/** For a person on their own machine: any host, a password, a private authority. */
export const selfManagedConfig = z
  .strictObject({
    hosts: z
      .preprocess(toList, z.array(host).min(1).max(32))
      .optional()
      .meta({
        title: 'Hosts',
        description: 'The addresses of the search cluster, http or https; one is enough.',
        examples: [['https://localhost:9200']],
      }),
    cloud_id: z
      .string()
      .trim()
      .superRefine((value, context) => {
        if (!hostOfCloudId(value)) context.addIssue({ code: 'custom', message: 'is not a cloud id' })
      })
      .optional()
      .meta({ title: 'Cloud ID', description: 'Instead of hosts: the Cloud ID that Elastic Cloud shows.' }),
    search_api_key: apiKey.optional(),
    username: z
      .string()
      .trim()
      .regex(NAME, 'must not contain a colon or a line break')
      .optional()
      .meta({ title: 'User name', description: 'With the password, instead of the API key.' }),
    password: z
      .string()
      .min(1)
      .optional()
      .meta({ title: 'Password', description: 'The password of the user.', secret: true }),
    ca_file: z.string().trim().min(1).optional().meta({
      title: 'CA file',
      description:
        "A PEM file with the certificate of the cluster's own certificate authority, which is then the only trusted one.",
      widget: 'path',
      advanced: true,
    }),
    ca_fingerprint: z
      .string()
      .trim()
      .transform((value) => value.replaceAll(':', '').toLowerCase())
      .refine((value) => /^[0-9a-f]{64}$/.test(value), 'must be a SHA-256 fingerprint: 64 hexadecimal digits')
      .optional()
      .meta({
        title: 'CA fingerprint',
        description: 'Instead of the CA file: the SHA-256 of its certificate, with or without colons.',
        advanced: true,
      }),
    index_name: indexName,
  })
  .superRefine((config, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (!config.hosts && !config.cloud_id) issue('hosts', 'is required, unless cloud_id is set')
    if (config.hosts && config.cloud_id) issue('cloud_id', 'replaces hosts; set only one of them')
    if (config.ca_file && config.ca_fingerprint)
      issue('ca_fingerprint', 'replaces ca_file; set only one of them')
    const hasUser = config.username !== undefined || config.password !== undefined
    const wrong = config.search_api_key
      ? hasUser && 'search_api_key'
      : (!config.username && 'username') || (!config.password && 'password')
    if (wrong) issue(wrong, `does not match the sign-in: set ${MODES}`)
  })

export type SelfManagedConfig = z.infer<typeof selfManagedConfig>

/** The destination of the command line; the service accepts less. */
export const selfManagedSearchindex: DestinationType = {
  ...searchindex,
  about: 'An index of Elasticsearch or OpenSearch, hosted or in your own network.',
  schema: selfManagedConfig,
  identity: ({ hosts, cloud_id, index_name }: SelfManagedConfig) =>
    JSON.stringify([hosts, cloud_id, index_name]),
  addressFields: ['hosts', 'cloud_id'],
  locationFields: ['hosts', 'cloud_id', 'index_name'],
  refuse: () => [],
  trust: trustOf,
  open: async (config: SelfManagedConfig, context) =>
    (await import('./destination.ts')).openConnection(connectionOf(config), context),
}

function connectionOf(config: SelfManagedConfig): Connection {
  const { search_api_key, username = '', password = '', index_name } = config
  const auth = search_api_key ? byApiKey(search_api_key) : byPassword(username, password)
  return { hosts: hostsOf(config), index: index_name, ...auth }
}

function hostsOf({ hosts = [], cloud_id }: SelfManagedConfig): string[] {
  return cloud_id ? [hostOfCloudId(cloud_id) ?? ''] : hosts
}

function byPassword(username: string, password: string): Pick<Connection, 'authorization' | 'credentials'> {
  return {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    credentials: {
      kind: 'password',
      name: 'the user name with its password',
      holder: 'the user',
      renew: 'Check the user name and the password',
      curl: '-u "$SEARCH_USERNAME"',
    },
  }
}

/** `name:` and the base64 of `domain[:port]$cluster$dashboards`. */
function hostOfCloudId(cloudId: string): string | null {
  const encoded = cloudId.slice(cloudId.indexOf(':') + 1)
  const [domain, cluster] = Buffer.from(encoded, 'base64').toString('utf8').split('$')
  if (!domain || !cluster || !/^[a-z0-9.-]+(:\d+)?$/i.test(domain)) return null
  const [name, port] = domain.split(':')
  const [id, ownPort] = cluster.split(':')
  const url = URL.parse(`https://${id}.${name}:${ownPort ?? port ?? 443}`)
  return url ? url.origin : null
}

/** Reads the file on open; errors name its path. */
async function trustOf(config: SelfManagedConfig): Promise<TlsTrust> {
  const { ca_file, ca_fingerprint } = config
  const hosts = hostsOf(config).map((address) => new URL(address).host)
  if (ca_fingerprint) return { hosts, fingerprint: ca_fingerprint }
  if (!ca_file) return { hosts }
  const fix = 'Give the path of a file in PEM, with -----BEGIN CERTIFICATE----- in it'
  const pem = await readFile(ca_file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : `it cannot be read (${cause.code})`
    throw new AppError('invalid_request', `reading ca_file ${ca_file}: ${why}`, { fix })
  })
  const certificates = certificatesIn(pem)
  if (!certificates)
    throw new AppError('invalid_request', `reading ca_file ${ca_file}: it holds no certificate`, { fix })
  return { hosts, ca: certificates }
}
