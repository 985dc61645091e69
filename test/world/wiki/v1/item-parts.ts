import { type Content, type ContentNode, pageOf, type Space } from '../model/model.ts'
import { baseOf, type Expand, type V1Context } from './expand.ts'
import { userItem } from './people.ts'

export type JsonItem = Record<string, unknown>

/** `pageItem` formats the page of an attachment or comment. */
export type ItemOptions = { expand: Expand; pageItem: (page: ContentNode, expand: Expand) => JsonItem }

type Parts = Record<string, (inner: Expand) => unknown>

/** A part that returns undefined remains expandable. */
export function partsOf(
  { context, content, expand }: { context: V1Context; content: Content; expand: Expand },
  parts: Parts,
): JsonItem {
  const { call } = context
  const { id, kind, status, title } = content
  const item: JsonItem = { id, type: kind, status, title }
  const expandable: Record<string, string> = {}
  const common: Parts = {
    space: () => {
      const space = call.world.spaces.get(pageOf(call.world, content)?.spaceId ?? '')
      return space && spaceItem(space)
    },
    version: () => versionItem(context, content),
    history: (inner) => ({
      latest: true,
      createdBy: userItem(context, call.world.people.get(content.authorId)),
      createdDate: content.createdAt,
      ...(inner.has('lastUpdated') ? { lastUpdated: versionItem(context, content) } : {}),
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

export const ownAccountOf = (context: V1Context, { id }: Content): string =>
  `${baseOf(context)}/rest/api/content/${id}`

export const spaceItem = (space: Space): JsonItem => ({
  id: Number(space.id),
  key: space.key,
  name: space.name,
  type: space.type,
  status: space.status,
  _links: { webui: `/spaces/${space.key}` },
})

const versionItem = (context: V1Context, content: Content) => ({
  by: userItem(context, context.call.world.people.get(content.version.by)),
  when: content.version.when,
  message: content.version.message,
  number: content.version.number,
  minorEdit: content.version.minorEdit,
  _links: { self: `${ownAccountOf(context, content)}/version/${content.version.number}` },
})
