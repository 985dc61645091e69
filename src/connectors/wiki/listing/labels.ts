import { isCompleteList } from '../is-complete-list.ts'
import type { LabelsResponse } from '../responses.ts'

/** Null if the labels are missing or incomplete. */
export function parseLabels(labels: LabelsResponse | null | undefined): string[] | null {
  return labels && isCompleteList(labels) ? toLabels(labels.results) : null
}

/** `my:` labels are private to the reading account. */
export function toLabels(rows: { name?: string | null; prefix?: string | null }[]): string[] {
  return rows.flatMap(({ name, prefix }) => (name && prefix !== 'my' ? [name] : [])).sort()
}
