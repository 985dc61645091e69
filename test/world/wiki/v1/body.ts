import type { Comment, ContentNode, World } from '../model/model.ts'
import { renderView } from '../render/render-view.ts'
import { plainText } from '../render/storage-tree.ts'
import { baseOf, type Expand, type V1Context } from './expand.ts'

/** Bodies of both sites: the stored source, or the caller's view. */
export function bodyItem(
  context: V1Context,
  content: ContentNode | Comment,
  expand: Expand,
): Record<string, unknown> {
  const bodies: Record<string, unknown> = {}
  for (const representation of expand.keys()) {
    const value = bodyValue(context, content, representation)
    if (value !== undefined) bodies[representation] = { value, representation, embeddedContent: [] }
  }
  return bodies
}

export function bodyValue(
  context: V1Context,
  content: ContentNode | Comment,
  representation: string,
): string | undefined {
  const { world, account } = context.call
  const { site } = context
  if (rendered.has(representation))
    return withSiteAddresses(context, renderView({ world, account, site, representation }, content))
  const { storage } = content.body
  if (representation === 'storage' || representation === 'editor')
    return site === 'cloud' ? storage : dataCenterStorage(world, storage)
  if (representation !== 'atlas_doc_format') return undefined
  return JSON.stringify({
    version: 1,
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: plainText(storage) }] }],
  })
}

const rendered = new Set(['view', 'export_view', 'styled_view', 'anonymous_export_view'])

/** Views use root-relative addresses; this adds base and context of the site. */
function withSiteAddresses(context: V1Context, view: string): string {
  const { world, urls } = context.call
  const { dcContext, absoluteViews } = world.settings
  // The base for pictures is known only once the wiki listens.
  const based = view.replaceAll('data-base-url="/wiki"', `data-base-url="${baseOf(context)}"`)
  if (context.site === 'cloud') {
    if (!absoluteViews) return based
    return based.replaceAll('"/wiki/', `"${new URL(urls.cloudUrl).origin}/wiki/`)
  }
  // Data Center has no media ids.
  return based
    .replaceAll(/ data-media-(?:id|type)="[^"]*"/g, '')
    .replaceAll('"/wiki/', absoluteViews ? `"${urls.dataCenterUrl}/` : `"${dcContext}/`)
}

/** One world serves both sites: Data Center has another context and user keys. */
function dataCenterStorage(world: World, storage: string): string {
  return storage
    .replaceAll('"/wiki/', `"${world.settings.dcContext}/`)
    .replaceAll(/ri:account-id="([^"]*)"/g, (whole, id: string) => {
      const person = world.people.get(id)
      return person === undefined ? whole : `ri:userkey="${person.userKey}"`
    })
}
