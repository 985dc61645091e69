import type { DocumentRef } from '../document.ts'
import { detectFiletype } from '../filetype/filetype.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import type { PartitionResult } from '../pipeline/partition-result.ts'
import type { Runner } from '../pipeline/runner.ts'

/** Runs the pipeline on a file without a source; detects the type from its content. */
export async function processFile(
  { filename, content }: { filename: string; content: Uint8Array },
  runner: Runner,
  signal: AbortSignal,
): Promise<PartitionResult & { filetype: string }> {
  const filetype = await detectFiletype(content, filename, true)
  const document = { ref: refForFile(filename), version: '', filetype, body: content }
  return { filetype, ...(await runner.work(document, signal)) }
}

/** Without a source only the filename is known. */
export function refForFile(filename: string): DocumentRef {
  return {
    recordId: filename,
    scope: '',
    position: '',
    version: '',
    title: filename,
    url: '',
    locator: {},
    filename,
    createdAt: null,
    modifiedAt: null,
    author: null,
    scopeName: '',
    labels: [],
    ancestors: [],
    access: NO_ACCESS,
  }
}
