import type { z } from 'zod'
import type { Compute } from '../compute.ts'
import type { Destination } from './destination.ts'
import type { TlsTrust } from './egress/connect.ts'
import type { Egress } from './egress/egress.ts'
import type { Source } from './source.ts'

/** Declares settings and opens a source. `open` imports the code, so that `--help` does not load it. */
export type SourceType = ConnectorType & {
  kind: 'source'
  capabilities: readonly SourceCapability[]
  /**
   * Record ids that a document address may mean. The first `pattern` that matches host, path and query applies; `recordIds`
   * name its groups as `$1`.
   */
  documentAddresses?: readonly { pattern: string; recordIds: readonly string[] }[]
  /**
   * The site, and who the settings sign in as, if they tell. Permissions that one account has proved for one site prove
   * nothing for others. Without it, `identity` is the site.
   */
  readsAs?(config: never): { site: string; account: string | null }
  /** Documents that come with Millrace, to try it with. Such a type is not offered for a new source. */
  sample?(): Promise<SampleOffer | null>
  open(config: never, context: Context): Promise<Source>
}

export type DestinationType = ConnectorType & {
  kind: 'destination'
  capabilities: readonly ('search' | 'inspect' | 'swap' | 'control' | 'create')[]
  /**
   * Addresses of the index, or of another one in the same system: two configs that share one write one index. Without
   * it, `identity` is the only address.
   */
  indexAddresses?(config: never, index?: string): string[]
  /** The settings of a sandbox: `host` leads into the service's own database, and `schema` belongs to `user`. */
  sandbox?(account: {
    host: string
    user: string
    password: string
    schema: string
    table: string
  }): Record<string, unknown>
  /** The certificates to trust for this destination alone, if the settings name any. */
  trust?(config: never): Promise<TlsTrust>
  open(config: never, context: Context): Promise<Destination>
}

type ConnectorType = {
  /** The name in the API, and of the folder. */
  type: string
  /** Other systems' names for the type, accepted on input. */
  aliases: string[]
  title: string
  /** One sentence for the tile that offers the type. */
  about: string
  /** The products that it connects to, if the title does not name them. */
  systems?: readonly string[]
  /** A name of the page's icon set; the page falls back to a generic icon. */
  icon: string
  /** YAML of the settings in a job file, for help texts. */
  jobExample?: string
  /** Its documentation: a path in this repository, or an https address. */
  docs: string
  terms: Terms
  /** By language. */
  translations?: Record<string, Translation>
  /** Sign-in modes, of which one is used; absent if there is only one. */
  signInModes?: readonly SignInMode[]
  /** How to get credentials with the least privileges. */
  setup?: readonly SetupStep[]
  /** Fields carry `.meta()` of type FieldMeta; secrets are strings. */
  schema: z.ZodType
  /** Equal if two configs lead to the same target. Never depends on a secret: those may be masked. */
  identity(config: never): string
  /** Fields that lists of connectors show as its address, in order. */
  locationFields: string[]
  /** By the name of a step of a connection check, the fields that fix it, the likeliest first. */
  stepFields?: Record<string, string[]>
  /** Other systems' names of fields → ours. */
  fieldAliases: Record<string, string>
  /** Fields with addresses that receive the secret: after a change of one, the secret has to be entered again. */
  addressFields: string[]
  /** The fields that break a rule of the service operator, such as allowed hosts. */
  refuse(config: never, egress: Egress): { field: string; msg: string }[]
}

type Texts = { title?: string; description?: string; text?: string }

/** What a connector type says to people, in another language; texts that are left out are the same in both. */
export type Translation = Texts & {
  about: string
  terms: Terms
  signInModes?: (Texts & { fields: Texts[] })[]
  setup?: (Texts & { links: Texts[]; snippets?: Texts[] })[]
  /** By the name of the setting. */
  settings: Record<string, Texts & { choices?: Record<string, string> }>
  /** By the name of the step of a connection check. */
  steps: Record<string, string>
}

/** What a sample source has without any settings. `searches` are of people who find different documents. */
export type SampleOffer = {
  name: string
  address: string
  people: { id: string; name: string; role: string }[]
  groups: { id: string; name: string }[]
  searches: { person: string; query: string }[]
}

/** What a field declares besides its type. */
export type FieldMeta = {
  title: string
  description: string
  secret?: true
  /** Collapsed by default in a form. */
  advanced?: true
  examples?: unknown[]
  /**
   * `scopes`: scope keys, offered by the options route. `path`: relative to the job file that names it. `lines`: text of
   * several lines.
   */
  widget?: 'scopes' | 'path' | 'lines'
  /** A form fills in the values of the first pattern that this field matches, ignoring case. */
  implies?: readonly { pattern: string; values: Record<string, unknown> }[]
  /**
   * A form shortens a pasted value by the first pattern that it matches, ignoring case. `value` names groups of the pattern
   * as `$1`; `scope` is the key of a scope in the address.
   */
  shortens?: readonly { pattern: string; value: string; scope?: string }[]
  /** Names of `true` and `false`, which a form offers next to each other. */
  choices?: { true: string; false: string }
  /** What the number limits: scopes, or documents of each scope. */
  limits?: 'scopes' | 'documents'
  /** What the guide for a first run fills in. */
  suggested?: string
}

/** `{{name}}` in addresses and snippets is the value of a field, else its first example. */
export type SetupStep = {
  title: string
  text: string
  /** The step applies only if the fields have these values. */
  when?: Record<string, unknown>
  links?: readonly { title: string; address: string }[]
  snippets?: readonly { title: string; text: string }[]
}

/** Singular lower-case nouns for texts, such as `cluster`, `index` and `element`. */
export type Terms = { system: string; scope: string; document: string }

export type SignInMode = {
  id: string
  title: string
  description: string
  /** The fields it needs, all of them, with the title and description they have in this mode. */
  fields: { name: string; title?: string; description?: string }[]
  /** Fields that can have one value only in this mode. */
  fixed?: Record<string, unknown>
  /** A form selects the mode if the fields get these values. */
  usualFor?: Record<string, unknown>
}

export const SOURCE_CAPABILITIES = [
  'relist',
  'locate',
  'people',
  'emails',
  'ownAccount',
  'levels',
  'scopes',
  'checkPermission',
  'readVersion',
] as const
export type SourceCapability = (typeof SOURCE_CAPABILITIES)[number]

/**
 * `maxWaitMs` is set if a person waits; a request that has to wait longer fails. `share`, above 0 and up to 1, is the
 * part of the system's request budget to use. `sharedPace` is absent if there is only one process.
 */
export type Context = {
  egress: Egress
  log: Log
  maxWaitMs?: number
  share?: number
  sharedPace?: SharedPace
  /** Absent if nothing is kept between listings. */
  decisions?: DecisionStore
  /** Runs work whose size an author chooses in a process that serves no one; absent if this one serves no one either. */
  compute?: Compute
}

/** What a source found out with many requests, kept between listings. */
export interface DecisionStore {
  /**
   * `scope` is a scope of the source for decisions about its permissions, and empty for those of the whole source. Other
   * facts are under names that no scope has.
   */
  read(scope: string): Promise<KeptDecision[]>
  write(scope: string, changes: { put: KeptDecision[]; drop: string[] }): Promise<void>
}

/** `value` is JSON; `checkedAt` is when the source proved it last. */
export type KeptDecision = { key: string; value: unknown; checkedAt: Date }

/** One request budget per site for all processes. */
export interface SharedPace {
  /** Renews the lease of this process. Leases of one site add up to at most `max`; one may be 0 for some seconds. */
  lease(
    site: string,
    request: { wanted: number; max: number },
  ): Promise<{ limit: number; pause: { reason: string; leftMs: number } | null }>
  /** Stops the requests of all processes to the site. */
  pause(site: string, pause: { reason: string; leftMs: number }): Promise<void>
}

export type Log = {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A connector with these capabilities. */
export type WithCapabilities<T, K extends keyof T> = T & Required<Pick<T, K>>
