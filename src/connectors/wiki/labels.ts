/** `my:` labels are the reading account's own, nobody else's. */
export function toLabels(rows: { name?: string | null; prefix?: string | null }[]): string[] {
  return rows.flatMap(({ name, prefix }) => (name && prefix !== 'my' ? [name] : [])).sort()
}
