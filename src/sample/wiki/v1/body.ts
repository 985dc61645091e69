import type { Comment, ContentNode, World } from '../model/model.ts'
import { renderView } from '../render/render-view.ts'
import { plainText } from '../render/storage-tree.ts'
import { baseOf, type Expand, type V1Context } from './expand.ts'

/** Bodies of both sites: the stored source, or the caller's view. */
export function bodyItem(
  wording: V1Context,
  content: ContentNode | Comment,
  expand: Expand,
): Record<string, unknown> {
  const told: Record<string, unknown> = {}
  for (const representation of expand.keys()) {
    const value = bodyValue(wording, content, representation)
    if (value !== undefined) told[representation] = { value, representation, embeddedContent: [] }
  }
  return told
}

export function bodyValue(
  wording: V1Context,
  content: ContentNode | Comment,
  representation: string,
): string | undefined {
  const { world, account } = wording.call
  const { site } = wording
  if (rendered.has(representation))
    return placed(wording, renderView({ world, account, site, representation }, content))
  const { storage } = content.body
  if (representation === 'storage' || representation === 'editor')
    return site === 'cloud' ? storage : storedThere(world, storage)
  if (representation !== 'atlas_doc_format') return undefined
  return JSON.stringify({
    version: 1,
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: plainText(storage) }] }],
  })
}

const rendered = new Set(['view', 'export_view', 'styled_view', 'anonymous_export_view'])

/** Views use root-relative addresses; this adds base and context of the site. */
function placed(wording: V1Context, view: string): string {
  const { world, places } = wording.call
  const { dcContext, absoluteViews } = world.settings
  // The base for pictures is known only once the wiki listens.
  const based = view.replaceAll('data-base-url="/wiki"', `data-base-url="${baseOf(wording)}"`)
  if (wording.site === 'cloud') {
    if (!absoluteViews) return based
    return based.replaceAll('"/wiki/', `"${new URL(places.cloudUrl).origin}/wiki/`)
  }
  // Data Center has no media ids.
  return based
    .replaceAll(/ data-media-(?:id|type)="[^"]*"/g, '')
    .replaceAll('"/wiki/', absoluteViews ? `"${places.dataCenterUrl}/` : `"${dcContext}/`)
}

/** One world serves both sites: Data Center has another context and user keys. */
function storedThere(world: World, storage: string): string {
  return storage
    .replaceAll('"/wiki/', `"${world.settings.dcContext}/`)
    .replaceAll(/ri:account-id="([^"]*)"/g, (whole, id: string) => {
      const person = world.people.get(id)
      return person === undefined ? whole : `ri:userkey="${person.userKey}"`
    })
}
