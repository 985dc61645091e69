/** The parts of a field's mapping that Millrace reads or writes. */
export type Field = {
  type?: string
  analyzer?: string
  search_analyzer?: string
  properties?: Record<string, Field>
  fields?: Record<string, Field>
  index?: boolean
  doc_values?: boolean
  norms?: boolean
  enabled?: boolean
  dynamic?: boolean | string
  ignore_above?: number
  normalizer?: string
  null_value?: unknown
  copy_to?: string | string[]
  dims?: number
  similarity?: string
  dimension?: number
  method?: { engine?: string; space_type?: string } & Record<string, unknown>
  space_type?: string
}
