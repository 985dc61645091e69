import { NOBODY_ACCESS } from '../access.ts'
import type { DocumentRef, Element } from '../document.ts'
import { detectFiletype } from '../filetype.ts'
import { defaultNodes, plan } from '../pipeline/nodes.ts'
import type { Workshop } from '../pipeline/workshop.ts'

/** The elements of a file that belongs to no source; what it is its content tells. */
export async function elementsOf(
  { bytes, filename }: { bytes: Uint8Array; filename: string },
  workshop: Workshop,
  signal: AbortSignal,
): Promise<{ filetype: string; elements: Element[] }> {
  const filetype = await detectFiletype(bytes, filename, true)
  const ref = refOf(filename)
  const document = { ref, version: '', filetype, body: bytes }
  const bench = await workshop.bench({ ...plan(defaultNodes()), embed: null })
  return { filetype, elements: (await bench.partition(document, signal)).elements }
}

function refOf(filename: string): DocumentRef {
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
    space: { key: '', name: '' },
    labels: [],
    ancestors: [],
    access: NOBODY_ACCESS,
  }
}
