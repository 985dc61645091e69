import { AppError } from '../errors.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { parseFoundId } from './archive-file.ts'
import type { BackendDocument } from './search-backend.ts'
import type { ReadDocument } from './shapes/search.ts'

/** Models copy short ids better, and eight digits tell the destinations of a workspace apart. */
const PREFIX_LENGTH = 8

/** `foundId` names a document, or a file of an archive. */
export function documentId({ id }: Pick<ConnectorRow, 'id'>, foundId: string): string {
  return `${id.slice(0, PREFIX_LENGTH)}:${foundId}`
}

/** Asks the destination that the id names; null if it is none of them, or it has no such document. */
export async function inDestinations<T>(
  id: string,
  destinations: ConnectorRow[],
  ask: (destination: ConnectorRow, found: ReturnType<typeof parseFoundId>) => Promise<T | null>,
): Promise<T | null> {
  const [, prefix, foundId] = /^([0-9a-f]{8}):(.+)$/s.exec(id) ?? []
  if (!prefix || !foundId) return null
  for (const destination of destinations.filter((each) => each.id.startsWith(prefix))) {
    const found = await ask(destination, parseFoundId(foundId)).catch((error) => {
      if (error instanceof AppError && error.code === 'not_found') return null
      throw error
    })
    if (found) return found
  }
  return null
}

export function toBackendDocument(id: string, document: ReadDocument): BackendDocument {
  const { url, elements, next } = document
  const { space_key, filetype, date_modified, version, path_in_archive } = document
  const known = Object.entries({ space_key, filetype, date_modified, version, path_in_archive })
  return {
    id,
    title: titleWithPath(document),
    url: url ?? '',
    metadata: Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== null)),
    passages: elements.map(({ element_id: id, text }) => ({ id, text })),
    hasMore: next !== null,
  }
}

/** `plans.zip: 2026/notes.md` for a file of an archive. */
export function titleWithPath(found: Pick<ReadDocument, 'title' | 'path_in_archive'>): string {
  return [found.title, found.path_in_archive].filter(Boolean).join(': ')
}
