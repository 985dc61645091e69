import { type Content, pageOf, type Space } from '../model/model.ts'
import { baseOf, type Expand, type Wording } from './expand.ts'
import { userItem } from './people.ts'

/** Renders content of any kind; passed in, since pages, comments and attachments contain each other. */
export type RenderContent = (wording: Wording, content: Content, expand: Expand) => Record<string, unknown>

type Parts = Record<string, (inner: Expand) => unknown>

/** A part that answers undefined stays among the expandables. */
export function partsOf(
  { wording, content, expand }: { wording: Wording; content: Content; expand: Expand },
  parts: Parts,
): Record<string, unknown> {
  const { call } = wording
  const { id, kind, status, title } = content
  const item: Record<string, unknown> = { id, type: kind, status, title }
  const expandable: Record<string, string> = {}
  const common: Parts = {
    space: () => {
      const space = call.world.spaces.get(pageOf(call.world, content)?.spaceId ?? '')
      return space && spaceItem(space)
    },
    version: () => versionItem(wording, content),
    history: (inner) => ({
      latest: true,
      createdBy: userItem(wording, call.world.people.get(content.authorId)),
      createdDate: content.createdAt,
      ...(inner.has('lastUpdated') ? { lastUpdated: versionItem(wording, content) } : {}),
    }),
  }
  for (const [name, make] of Object.entries({ ...common, ...parts })) {
    const inner = expand.get(name)
    const made = inner === undefined ? undefined : make(inner)
    if (made === undefined) expandable[name] = `/rest/api/content/${id}?expand=${name}`
    else item[name] = made
  }
  item._expandable = expandable
  return item
}

export const selfOf = (wording: Wording, { id }: Content): string =>
  `${baseOf(wording)}/rest/api/content/${id}`

export const spaceItem = (space: Space): Record<string, unknown> => ({
  id: Number(space.id),
  key: space.key,
  name: space.name,
  type: space.type,
  status: space.status,
  _links: { webui: `/spaces/${space.key}` },
})

const versionItem = (wording: Wording, content: Content) => ({
  by: userItem(wording, wording.call.world.people.get(content.version.by)),
  when: content.version.when,
  message: content.version.message,
  number: content.version.number,
  minorEdit: content.version.minorEdit,
  _links: { self: `${selfOf(wording, content)}/version/${content.version.number}` },
})
