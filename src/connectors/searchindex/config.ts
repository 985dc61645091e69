import { isIP } from 'node:net'
import { z } from 'zod'
import type { Egress } from '../egress/egress.ts'

export const host = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const problem = addressProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })

/** A header can hold visible ASCII only. */
export const apiKey = z
  .string()
  .trim()
  .min(1)
  .regex(/^[\x21-\x7e]+$/, 'must be the encoded key or id:key, without spaces')
  .meta({
    title: 'API key',
    description: 'The encoded key that the cluster shows when you create one, or id:key.',
    secret: true,
  })

export const indexName = z
  .string()
  .trim()
  .superRefine((value, context) => {
    const problem = nameProblem(value)
    if (problem) context.addIssue({ code: 'custom', message: problem })
  })
  .meta({
    title: 'Index',
    description:
      'The name of the index. If it does not exist, the test offers to create it. The first run adds the schema to an empty index.',
    examples: ['wiki'],
    suggested: 'wiki',
  })

export const searchIndexConfig = z.strictObject({
  hosts: z.preprocess(toList, z.array(host).min(1).max(32)).meta({
    title: 'Hosts',
    description: 'The addresses of the search cluster; one is enough.',
    examples: [['https://my-deployment.es.eu-west-1.aws.elastic-cloud.com']],
  }),
  search_api_key: apiKey,
  index_name: indexName,
})

export type SearchIndexConfig = z.infer<typeof searchIndexConfig>

/** Words for messages about the credentials. */
export type Credentials = {
  kind: 'api key' | 'password'
  name: string
  holder: string
  renew: string
  curl: string
}
/** What a client needs, from either settings schema. */
export type Connection = {
  hosts: string[]
  authorization: string
  credentials: Credentials
  index: string
}

export function connectionOf(config: SearchIndexConfig): Connection {
  const { hosts, search_api_key, index_name } = config
  return { hosts, index: index_name, ...byApiKey(search_api_key) }
}

/** The encoded form, or `id:key`, which is encoded here. */
export function byApiKey(key: string): Pick<Connection, 'authorization' | 'credentials'> {
  return {
    authorization: `ApiKey ${key.includes(':') ? Buffer.from(key).toString('base64') : key}`,
    credentials: {
      kind: 'api key',
      name: 'the API key',
      holder: 'the key',
      renew: 'Create a new key in the cluster and save it here',
      curl: '-H "Authorization: ApiKey $SEARCH_API_KEY"',
    },
  }
}

/** Domains of hosted clusters. */
const HOSTED = ['elastic-cloud.com', 'elastic.cloud', 'found.io', 'es.io']

/** Only hosted clusters and allowed hosts: a service must not reach its own network. */
export function refuseHosts(config: SearchIndexConfig, egress: Egress): { field: string; msg: string }[] {
  for (const url of config.hosts.map((value) => new URL(value))) {
    if (egress.isAllowed(url)) continue
    if (url.protocol !== 'https:' || !isHosted(url.hostname)) {
      return [{ field: 'hosts', msg: notHosted(url) }]
    }
    const refusal = egress.refusal(url)
    if (refusal) return [{ field: 'hosts', msg: refusal }]
  }
  return []
}

/** A single address counts as a list of one. */
export function toList(value: unknown): unknown {
  return typeof value === 'string' ? [value] : value
}

function isHosted(hostname: string): boolean {
  return isIP(hostname) === 0 && HOSTED.some((domain) => hostname.endsWith(`.${domain}`))
}

function notHosted(url: URL): string {
  return (
    `${url.host} is not a hosted search service. Use an https address under ${HOSTED.join(', ')}. ` +
    `The service operator can allow another cluster with MILLRACE_ALLOWED_HOSTS=${url.host}; ` +
    'millrace-ingest accepts any'
  )
}

function addressProblem(value: string): string | null {
  const url = URL.parse(value)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return 'must be an address such as https://my-deployment.es.eu-west-1.aws.elastic-cloud.com'
  }
  if (url.username || url.password)
    return 'must not contain a user or password; the key goes into search_api_key'
  if (url.search || url.hash || value.includes('?') || value.includes('#'))
    return 'must not contain a query or fragment'
  return null
}

/** The cluster's rules for names, without patterns. */
function nameProblem(name: string): string | null {
  if (name === '') return 'must not be empty'
  if (/[A-Z]/.test(name) || name !== name.toLowerCase()) return 'must be in lower case'
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those are refused
  if (/[\\/*?"<>|\s,#:\x00-\x1f]/.test(name))
    return 'must be one name, without any of \\ / * ? " < > | , # : or space'
  if (/^[-_+.]/.test(name)) return 'must not begin with - _ + or a dot'
  if (Buffer.byteLength(name) > 255) return 'must not be longer than 255 bytes'
  return null
}
