import type { DestinationType, DocumentAddress, SignInMode, SourceType, Terms } from './connector.ts'
import { jsonSchema } from './describe.ts'

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
  sign_in_modes: SignInMode[]
  document_addresses: { pattern: string; record_ids: string[] }[]
  capabilities: string[]
  schema: Record<string, unknown>
}

export function typeInformation(type: SourceType | DestinationType): TypeInformation {
  const addresses = type.kind === 'source' ? (type.documentAddresses ?? []) : []
  return {
    type: type.type,
    kind: type.kind,
    title: type.title,
    about: type.about,
    icon: type.icon,
    docs: type.docs,
    terms: type.terms,
    aliases: type.aliases,
    field_aliases: type.fieldAliases,
    location_fields: type.locationFields,
    sign_in_modes: [...(type.signInModes ?? [])],
    document_addresses: addresses.map(toShape),
    capabilities: [...type.capabilities],
    schema: jsonSchema(type),
  }
}

function toShape({ pattern, recordIds }: DocumentAddress): { pattern: string; record_ids: string[] } {
  return { pattern, record_ids: [...recordIds] }
}
