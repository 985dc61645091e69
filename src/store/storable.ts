/**
 * JSON as PostgreSQL takes it: it refuses a NUL and half a surrogate pair anywhere in it, and with them every row of a
 * statement. What is said of a document may quote a file, which can hold both.
 */
export function storable(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '') : each,
  )
}
