import type { DocumentRef } from '../../document.ts'
import type { NodeRef } from './access/tree.ts'

export function isFile({ locator }: Pick<DocumentRef, 'locator'>): boolean {
  return locator.attachment_id !== undefined
}

export function pageIdOf({ recordId, locator }: Pick<DocumentRef, 'recordId' | 'locator'>): string {
  return locator.page_id ?? recordId.slice(recordId.lastIndexOf('/') + 1)
}

/** The page or blog post that a document is or is attached to. */
export function nodeOfRef(ref: Pick<DocumentRef, 'recordId' | 'locator'>): NodeRef {
  return { id: pageIdOf(ref), type: ref.locator.content_type === 'blogpost' ? 'blogpost' : 'page' }
}
