/** Collects the values of a statement; `add` returns the placeholder. */
export type Values = { readonly list: unknown[]; add(value: unknown, type: string): string }

export function createValues(): Values {
  const list: unknown[] = []
  return {
    list,
    add(value, type) {
      list.push(value)
      return `$${list.length}::${type}`
    },
  }
}

/** PostgreSQL refuses NUL; no stored text has it. */
export function withoutNul(texts: readonly string[]): string[] {
  return texts.filter((text) => !text.includes('\0'))
}

/** Longer queries repeat themselves. */
const MAX_QUERY = 10_000

/** A query as PostgreSQL accepts it. */
export function storableQuery(query: string): string {
  return query.slice(0, MAX_QUERY).toWellFormed().replaceAll('\0', ' ')
}
