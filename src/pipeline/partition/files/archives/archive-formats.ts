import type { ReadPackedFiles } from './packed-file.ts'

/** Archives by media type; a document in such a format consists of the files in it. */
const FORMATS = new Map<string, () => Promise<ReadPackedFiles>>([
  ['application/zip', async () => (await import('./zip.ts')).zipFiles],
  ['application/x-tar', async () => (await import('./tar.ts')).tarFiles],
  ['application/gzip', async () => (await import('./gzip.ts')).gzipFiles],
])

export const ARCHIVE_TYPES: readonly string[] = [...FORMATS.keys()]

export function isArchive(filetype: string): boolean {
  return FORMATS.has(filetype)
}

export async function packedFileReaderOf(filetype: string): Promise<ReadPackedFiles> {
  const load = FORMATS.get(filetype)
  if (!load) throw new Error(`${filetype} is not an archive`)
  return load()
}
