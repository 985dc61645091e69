import type { SourceDocument } from '../../src/document.ts'
import type { SitesOptions } from './sites.ts'

/** Files of pages on both deployments. */
export const filesOfPages: SitesOptions = {
  wiki: { seed: 41, spaces: 3, pages: 30, people: 10, groups: 4 },
  settings: { extract_files: true },
}

/** Attached files, without their titles. */
export const bytes = (body: Buffer, mediaType = 'application/octet-stream') => ({
  mediaType,
  base64: body.toString('base64'),
})
export const text = (body: string) => bytes(Buffer.from(body), 'text/plain')

export function bytesIn({ body }: SourceDocument): Buffer {
  return Buffer.from(body as Uint8Array)
}
