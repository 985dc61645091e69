import { workflowsTexts } from '../../../texts/workflows.ts'
import type { PreviewDocument } from './types.ts'

const texts = workflowsTexts.preview.readers

/** The readers of a document, by name where known. */
export function readersOf(
  { data_source: about }: Pick<PreviewDocument, 'data_source'>,
  names: ReadonlyMap<string, string> = new Map(),
): string[] {
  const read = about?.permissions_data?.find((each) => each.read)?.read
  if (!read) return []
  const named = (id: string) => names.get(id) ?? id
  const readers = [
    ...(read.access_classes ?? []).map((name) => texts.classes[name] ?? name),
    ...read.groups.map((id) => texts.group(named(id))),
    ...read.users.map(named),
  ]
  return readers.length > 0 ? readers : [texts.none]
}
