import { baseOf, type Expand, type Wording } from './expand.ts'
import type { Body } from './model.ts'

/** Bodies as both sites tell them. They are kept once, as Cloud renders them, with root-relative addresses. */
export function bodyItem(wording: Wording, body: Body, expand: Expand): Record<string, unknown> {
  const told: Record<string, unknown> = {}
  for (const representation of expand.keys()) {
    const value = bodyValue(wording, body, representation)
    if (value !== undefined) told[representation] = { value, representation, embeddedContent: [] }
  }
  return told
}

export function bodyValue(wording: Wording, body: Body, representation: string): string | undefined {
  const value = bodyIn(body, representation)
  if (value === undefined) return undefined
  const { world, places } = wording.call
  const { dcContext, absoluteViews } = world.settings
  // The base that pictures name is only known once the wiki listens.
  const based = value.replaceAll('data-base-url="/wiki"', `data-base-url="${baseOf(wording)}"`)
  const absolute = absoluteViews && rendered.has(representation)
  if (wording.site === 'cloud') {
    if (!absolute) return based
    return based.replaceAll('"/wiki/', `"${new URL(places.cloudUrl).origin}/wiki/`)
  }
  // Data Center has no media ids.
  return based
    .replaceAll(/ data-media-(?:id|type)="[^"]*"/g, '')
    .replaceAll('"/wiki/', absolute ? `"${places.dataCenterUrl}/` : `"${dcContext}/`)
}

const rendered = new Set(['view', 'export_view', 'styled_view', 'anonymous_export_view'])

function bodyIn(body: Body, representation: string): string | undefined {
  if (rendered.has(representation)) return body.view
  if (representation === 'storage' || representation === 'editor') return body.storage
  if (representation !== 'atlas_doc_format') return undefined
  return JSON.stringify({
    version: 1,
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: plainText(body) }] }],
  })
}

const plainText = ({ view }: Body): string =>
  view
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
