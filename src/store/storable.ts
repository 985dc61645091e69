/** PostgreSQL refuses JSON with NUL or lone surrogates, which texts from files may hold. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '') : each,
  )
}
