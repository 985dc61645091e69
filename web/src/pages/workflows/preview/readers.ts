import type { PreviewDocument } from './types.ts'

/** The readers of a document as tokens; undefined if it has no permissions. */
export function readersOf({
  data_source: dataSource,
}: Pick<PreviewDocument, 'data_source'>): string[] | undefined {
  const read = dataSource?.permissions_data?.find((each) => each.read)?.read
  if (!read) return undefined
  return [
    ...(read.access_classes ?? []).map((name) => `class:${name}`),
    ...read.groups.map((id) => `group:${id}`),
    ...read.users.map((id) => `user:${id}`),
  ]
}
