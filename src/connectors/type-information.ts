import { jsonSchema } from './describe.ts'
import type { DestinationType, SetupStep, SignInMode, SourceType, Terms } from './type.ts'

/** What a connector type declares, as the API serves it. */
export type TypeInformation = {
  type: string
  kind: 'source' | 'destination'
  title: string
  about: string
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

export function typeInformation(type: SourceType | DestinationType): TypeInformation {
  const addresses = type.kind === 'source' ? (type.documentAddresses ?? []) : []
  const { kind, title, about, icon, docs, terms, aliases } = type
  return {
    type: type.type,
    ...{ kind, title, about, icon, docs, terms, aliases },
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

function toMode({ usualFor, ...mode }: SignInMode): SignInModeInformation {
  return usualFor ? { ...mode, usual_for: usualFor } : mode
}

function toSetup({ when = {}, links = [], snippets = [], ...step }: SetupStep): SetupInformation {
  return { ...step, when, links: [...links], snippets: [...snippets] }
}
