import type { ConnectorType } from '../connectors/types.ts'

type DocumentAddress = ConnectorType['document_addresses'][number]

/** The record ids for a text: the text itself, or those of a document's address. */
export function recordIdsIn(text: string, addresses: readonly DocumentAddress[]): string[] {
  const typed = text.trim()
  if (!isAddress(typed)) return typed ? [typed] : []
  if (!URL.canParse(typed)) return []
  const { host, pathname, search } = new URL(typed)
  const location = `${host}${pathname}${search}`
  for (const { pattern, record_ids: templates } of addresses) {
    const groups = new RegExp(pattern).exec(location)
    if (groups) return [...new Set(templates.map((template) => expand(template, groups)))]
  }
  return []
}

export function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text.trim())
}

/** `$1/$2` with the groups of a match. */
function expand(template: string, groups: readonly (string | undefined)[]): string {
  return template.replaceAll(/\$(\d)/g, (_, at: string) => groups[Number(at)] ?? '')
}
