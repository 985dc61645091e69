import { jsonSchema } from './describe.ts'
import type { DestinationType, SetupStep, SignInMode, SourceType, Terms, Translation } from './type.ts'

/** What a connector type declares, as the API serves it. */
export type TypeInformation = {
  type: string
  kind: 'source' | 'destination'
  title: string
  about: string
  systems: string[]
  icon: string
  docs: string
  terms: Terms
  aliases: string[]
  field_aliases: Record<string, string>
  location_fields: string[]
  sign_in_modes: SignInModeInformation[]
  setup: SetupInformation[]
  document_addresses: { pattern: string; record_ids: string[] }[]
  capabilities: string[]
  sample: boolean
  schema: Record<string, unknown>
}

type SignInModeInformation = Omit<SignInMode, 'usualFor'> & { usual_for?: Record<string, unknown> }
type SetupInformation = Required<Omit<SetupStep, 'links' | 'snippets'>> & {
  links: { title: string; address: string }[]
  snippets: { title: string; text: string }[]
}

/** In a language of the page, if the type has it, otherwise in English. */
export function typeInformation(type: SourceType | DestinationType, language = 'en'): TypeInformation {
  const translation = type.translations?.[language]
  return translation ? translated(inEnglish(type), translation) : inEnglish(type)
}

function inEnglish(type: SourceType | DestinationType): TypeInformation {
  const addresses = type.kind === 'source' ? (type.documentAddresses ?? []) : []
  const { kind, title, about, icon, docs, terms, aliases } = type
  return {
    type: type.type,
    ...{ kind, title, about, icon, docs, terms, aliases },
    systems: systemsOf(type),
    field_aliases: type.fieldAliases,
    location_fields: type.locationFields,
    sign_in_modes: (type.signInModes ?? []).map(toMode),
    setup: (type.setup ?? []).map(toSetup),
    document_addresses: addresses.map(({ pattern, recordIds }) => ({ pattern, record_ids: [...recordIds] })),
    capabilities: [...type.capabilities],
    sample: type.kind === 'source' && type.sample !== undefined,
    schema: jsonSchema(type),
  }
}

/** The products that a type connects to. */
export function systemsOf({ systems, title }: SourceType | DestinationType): string[] {
  return [...(systems ?? [title])]
}

function toMode({ usualFor, ...mode }: SignInMode): SignInModeInformation {
  return usualFor ? { ...mode, usual_for: usualFor } : mode
}

function toSetup({ when = {}, links = [], snippets = [], ...step }: SetupStep): SetupInformation {
  return { ...step, when, links: [...links], snippets: [...snippets] }
}

function translated(information: TypeInformation, translation: Translation): TypeInformation {
  const { signInModes = [], setup = [], settings, steps: _, ...texts } = translation
  const over = { ...texts, sign_in_modes: signInModes, setup, schema: { properties: settings } }
  return merged(information, over) as TypeInformation
}

function merged(value: unknown, over: unknown): unknown {
  if (over === undefined) return value
  if (Array.isArray(value) && Array.isArray(over))
    return value.map((each, index) => merged(each, over[index]))
  if (!isObject(value) || !isObject(over)) return over
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, merged(each, over[name])]))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
