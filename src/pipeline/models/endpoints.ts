import { z } from 'zod'
import { AppError } from '../../errors.ts'
import type { AllowedModels } from './allowed-models.ts'
import type { ConfiguredProviders, Provider } from './providers.ts'

/** `model` is the default for nodes that name none. */
export type Endpoint = { baseUrl: string; apiKey: string | null; model: string }
export type BedrockEndpoint = {
  baseUrl: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | null
  model: string
}

/** The endpoints that the service operator configured; requests to models go nowhere else. */
export type Endpoints = Partial<Record<Exclude<Provider, 'bedrock' | 'azure_openai'>, Endpoint>> & {
  azure_openai?: Endpoint & { apiVersion: string }
  bedrock?: BedrockEndpoint
}

// Keys are sent in a header, which allows only these characters.
const key = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'printable ASCII characters without spaces')
  .optional()
const address = z
  .string()
  .refine(isPlainAddress, 'an http(s) address without credentials, ? or #')
  .transform((text) => text.replace(/\/+$/, ''))
  .optional()
const word = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'a name without spaces')
  .optional()

/** Messages complete "NAME must be …". http is allowed, because the service operator sets the URL. */
export const endpointVariables = {
  MILLRACE_OPENAI_BASE_URL: address,
  MILLRACE_OPENAI_API_KEY: key,
  MILLRACE_OPENAI_MODEL: word,
  MILLRACE_ANTHROPIC_BASE_URL: address,
  MILLRACE_ANTHROPIC_API_KEY: key,
  MILLRACE_ANTHROPIC_MODEL: word,
  MILLRACE_AZURE_OPENAI_ENDPOINT: address,
  MILLRACE_AZURE_OPENAI_API_KEY: key,
  MILLRACE_AZURE_OPENAI_API_VERSION: word,
  MILLRACE_AZURE_OPENAI_MODEL: word,
  MILLRACE_BEDROCK_REGION: z
    .string()
    .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1')
    .optional(),
  MILLRACE_BEDROCK_ENDPOINT: address,
  MILLRACE_BEDROCK_ACCESS_KEY_ID: key,
  MILLRACE_BEDROCK_SECRET_ACCESS_KEY: key,
  MILLRACE_BEDROCK_SESSION_TOKEN: key,
  MILLRACE_BEDROCK_MODEL: word,
  MILLRACE_TOGETHER_BASE_URL: address,
  MILLRACE_TOGETHER_API_KEY: key,
  MILLRACE_VOYAGE_BASE_URL: address,
  MILLRACE_VOYAGE_API_KEY: key,
  MILLRACE_COHERE_BASE_URL: address,
  MILLRACE_COHERE_API_KEY: key,
}
type Values = z.infer<z.ZodObject<typeof endpointVariables>>
type Name = keyof Values

/** If the second variable is set, the first must be too. */
export const endpointNeeds: [Name, Name][] = [
  ['MILLRACE_AZURE_OPENAI_ENDPOINT', 'MILLRACE_AZURE_OPENAI_API_KEY'],
  ['MILLRACE_AZURE_OPENAI_API_KEY', 'MILLRACE_AZURE_OPENAI_ENDPOINT'],
  ['MILLRACE_BEDROCK_ACCESS_KEY_ID', 'MILLRACE_BEDROCK_REGION'],
  ['MILLRACE_BEDROCK_SECRET_ACCESS_KEY', 'MILLRACE_BEDROCK_REGION'],
  ['MILLRACE_BEDROCK_REGION', 'MILLRACE_BEDROCK_ACCESS_KEY_ID'],
  ['MILLRACE_BEDROCK_REGION', 'MILLRACE_BEDROCK_ENDPOINT'],
]

export function endpointsOf(values: Values): Endpoints {
  const endpoint = (name: 'OPENAI' | 'ANTHROPIC' | 'TOGETHER' | 'VOYAGE' | 'COHERE', model = '') => {
    const [baseUrl, apiKey] = [values[`MILLRACE_${name}_BASE_URL`], values[`MILLRACE_${name}_API_KEY`]]
    if (!baseUrl && !apiKey) return null
    return { baseUrl: baseUrl ?? PUBLIC_URLS[name], apiKey: apiKey ?? null, model }
  }
  const all = {
    openai: endpoint('OPENAI', values.MILLRACE_OPENAI_MODEL ?? 'gpt-4o-mini'),
    anthropic: endpoint('ANTHROPIC', values.MILLRACE_ANTHROPIC_MODEL ?? 'claude-sonnet-4-6'),
    azure_openai: azureOf(values),
    bedrock: bedrockOf(values),
    togetherai: endpoint('TOGETHER'),
    voyageai: endpoint('VOYAGE'),
    cohere: endpoint('COHERE'),
  }
  return Object.fromEntries(Object.entries(all).filter(([, endpoint]) => endpoint !== null)) as Endpoints
}

/** Used by the command line; the service parses its whole environment at once. */
export function readEndpoints(env: Record<string, string | undefined>): Endpoints {
  const names = Object.keys(endpointVariables)
  const given = Object.fromEntries(names.map((name) => [name, env[name] || undefined]))
  const parsed = z.object(endpointVariables).safeParse(given)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new AppError('invalid_request', `${String(issue?.path[0])} must be ${issue?.message}`)
  }
  for (const [name, other] of endpointNeeds) {
    if (parsed.data[other] && !parsed.data[name])
      throw new AppError('invalid_request', `${name} must be set if ${other} is set`)
  }
  return endpointsOf(parsed.data)
}

export function configuredOf(endpoints: Endpoints, allowed: AllowedModels = []): ConfiguredProviders {
  const limits = allowed.length > 0 ? { allowed } : {}
  return Object.fromEntries(
    Object.entries(endpoints).map(([name, { model }]) => [name, { model, ...limits }]),
  )
}

/** The origins that egress allows. */
export function originsOf(endpoints: Endpoints): string[] {
  return Object.values(endpoints).map(({ baseUrl }) => new URL(baseUrl).origin)
}

export function secretsOf(endpoints: Endpoints): string[] {
  return Object.values(endpoints)
    .flatMap((endpoint) =>
      'apiKey' in endpoint ? [endpoint.apiKey] : [endpoint.secretAccessKey, endpoint.sessionToken],
    )
    .filter((secret) => secret !== null)
}

const PUBLIC_URLS = {
  OPENAI: 'https://api.openai.com/v1',
  ANTHROPIC: 'https://api.anthropic.com',
  TOGETHER: 'https://api.together.xyz/v1',
  VOYAGE: 'https://api.voyageai.com/v1',
  COHERE: 'https://api.cohere.com',
}

function azureOf(values: Values): Endpoints['azure_openai'] | null {
  const { MILLRACE_AZURE_OPENAI_ENDPOINT: baseUrl, MILLRACE_AZURE_OPENAI_API_KEY: apiKey } = values
  if (!baseUrl || !apiKey) return null
  const apiVersion = values.MILLRACE_AZURE_OPENAI_API_VERSION ?? '2024-10-21'
  return { baseUrl, apiKey, apiVersion, model: values.MILLRACE_AZURE_OPENAI_MODEL ?? 'gpt-4o-mini' }
}

function bedrockOf(values: Values): BedrockEndpoint | null {
  const { MILLRACE_BEDROCK_REGION: region, MILLRACE_BEDROCK_ACCESS_KEY_ID: accessKeyId } = values
  const secretAccessKey = values.MILLRACE_BEDROCK_SECRET_ACCESS_KEY
  if (!region || !accessKeyId || !secretAccessKey) return null
  return {
    baseUrl: values.MILLRACE_BEDROCK_ENDPOINT ?? `https://bedrock-runtime.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
    sessionToken: values.MILLRACE_BEDROCK_SESSION_TOKEN ?? null,
    model: values.MILLRACE_BEDROCK_MODEL ?? 'us.amazon.nova-lite-v1:0',
  }
}

function isPlainAddress(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && !/[?#]/.test(text)
}
