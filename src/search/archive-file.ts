/** Separates a record id from a path, as in the addresses of Java archives. */
const SEPARATOR = '!/'

type FoundPart = { record_id: string; path_in_archive?: string | null }

/** Each file of an archive is a document of its own to people who search. */
export function foundIdOf({ record_id: recordId, path_in_archive: path }: FoundPart): string {
  return path ? `${recordId}${SEPARATOR}${path}` : recordId
}

export function parseFoundId(id: string): { recordId: string; path?: string } {
  const at = id.indexOf(SEPARATOR)
  if (at < 0) return { recordId: id }
  return { recordId: id.slice(0, at), path: id.slice(at + SEPARATOR.length) }
}
