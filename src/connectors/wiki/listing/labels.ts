import type { LabelsAnswer } from '../answers.ts'
import { isCompleteList } from './is-complete-list.ts'

/** Null where the answer does not say, or not to the last one. */
export function parseLabels(labels: LabelsAnswer | null | undefined): string[] | null {
  return labels && isCompleteList(labels) ? toLabels(labels.results) : null
}

/** `my:` labels are the reading account's own, nobody else's. */
export function toLabels(rows: { name?: string | null; prefix?: string | null }[]): string[] {
  return rows.flatMap(({ name, prefix }) => (name && prefix !== 'my' ? [name] : [])).sort()
}
