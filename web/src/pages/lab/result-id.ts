import type { ComparedDocument } from './types.ts'

type Named = Pick<ComparedDocument, 'record_id' | 'path_in_archive'>

/** Each file of an archive is a result of its own. */
export function resultId({ record_id: recordId, path_in_archive: path }: Named): string {
  return path ? `${recordId}!/${path}` : recordId
}
