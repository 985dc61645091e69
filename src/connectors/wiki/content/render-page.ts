import { extname } from 'node:path'
import { type Compute, MAX_INLINE_LENGTH } from '../../../compute.ts'
import type { Comment } from '../client.ts'
import { withComments } from './comments.ts'
import { MAX_ID_LENGTH, userKey } from './mentions.ts'
import type { PageContext, UserRef } from './storage/links.ts'
import { type Rendition, withReadableImages } from './storage/rendition.ts'
import { renderStorage } from './storage-format.ts'

/** `names` by `userKey`: null for unknown people; people without an entry may be found later. */
export type PageToRender = {
  storage: string
  page: PageContext
  comments: Comment[]
  names: ReadonlyMap<string, string | null>
}
/** `unnamed` counts people whose names may be found later. */
export type RenderedStorage = { rendition: Rendition; unnamed: number }

/** A large page would block the process for seconds, so it is rendered in another one. */
export async function renderBody(
  input: PageToRender,
  compute: Compute | undefined,
  signal: AbortSignal,
): Promise<RenderedStorage> {
  const length = input.comments.reduce((sum, { storage }) => sum + storage.length, input.storage.length)
  if (!compute || length <= MAX_INLINE_LENGTH) return renderHere(input)
  const module = new URL(`render-page${extname(import.meta.url)}`, import.meta.url).href
  const task = { module, name: 'renderHere', filename: `page ${input.page.pageId}`, input }
  // `renderHere` made it.
  return (await compute(task, signal)) as RenderedStorage
}

/** Called in the other process. */
export function renderHere({ storage, page, comments, names }: PageToRender): RenderedStorage {
  const unnamed = new Set<string>()
  const nameOf = (user: UserRef) => {
    const name = names.get(userKey(user))
    if (name === undefined && user.id.length <= MAX_ID_LENGTH) unnamed.add(userKey(user))
    return name ?? null
  }
  const render = (body: string) => renderStorage(body, page, nameOf)
  const { parts, dropped } = withComments(render(storage), comments, render)
  return { rendition: { parts: withReadableImages(parts), dropped }, unnamed: unnamed.size }
}
