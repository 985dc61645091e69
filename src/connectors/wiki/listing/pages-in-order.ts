import { AppError } from '../../../errors.ts'
import type { PageInfo, PageKind, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { byId, compareIds } from '../ids.ts'

/** Pages that are read before the first is yielded, so that a list in another order is noticed in time. */
const READ_AHEAD = 1000
const PAGE_SIZE = 250

type Listed = { client: WikiClient; config: WikiConfig; space: Space }

/** The pages of a space with ascending ids, merged from a list for each kind and status. */
export async function* pagesInOrder(
  { client, config, space }: Listed,
  /** The number of pages that are likely to be needed. */
  wanted: number,
  signal: AbortSignal,
): AsyncGenerator<PageInfo> {
  const lists = listsOf(config).map((list) => readInOrder({ client, space, wanted, ...list }, signal))
  const heads = await Promise.all(lists.map(nextOf))
  for (;;) {
    let lowest: PageInfo | undefined
    // A page that was archived meanwhile is in two lists.
    for (const head of heads) if (head && (!lowest || compareIds(head.id, lowest.id) <= 0)) lowest = head
    if (!lowest) return
    yield lowest
    for (const [at, list] of lists.entries()) if (heads[at]?.id === lowest.id) heads[at] = await nextOf(list)
  }
}

/** Blog posts cannot be archived; requesting archived ones is an error. */
function listsOf({ include_blog_posts, statuses }: WikiConfig): { kind: PageKind; status: PageStatus }[] {
  const pages = statuses.map((status) => ({ kind: 'page' as const, status }))
  const hasBlogPosts = include_blog_posts && statuses.includes('current')
  return hasBlogPosts ? [...pages, { kind: 'blogpost', status: 'current' }] : pages
}

type PageStatus = WikiConfig['statuses'][number]
type PageList = { client: WikiClient; space: Space; kind: PageKind; status: PageStatus; wanted: number }

/** A list in another order is held in memory: only Data Center before 7.18 has such lists. */
async function* readInOrder(list: PageList, signal: AbortSignal): AsyncGenerator<PageInfo> {
  const { client, space, kind, status, wanted } = list
  const options = { kind, status, pageSize: Math.min(PAGE_SIZE, wanted) }
  let ahead: PageInfo[] | null = []
  let isInOrder = true
  let last = ''
  for await (const { pages, inOrder } of client.pagesIn(space, options, signal)) {
    for (const { id } of pages) {
      isInOrder &&= inOrder && compareIds(last, id) < 0
      last = id
    }
    if (!ahead && !isInOrder) throw outOfOrder(list)
    const rows = pages.filter((row) => row.status === status)
    if (!ahead) {
      yield* rows
      continue
    }
    ahead.push(...rows)
    if (!isInOrder || ahead.length < Math.min(READ_AHEAD, wanted)) continue
    yield* ahead
    ahead = null
  }
  if (ahead) yield* isInOrder ? ahead : sortedById(ahead)
}

function sortedById(rows: PageInfo[]): PageInfo[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()].sort(byId)
}

/** Pages up to this one are already yielded, so a lower id cannot follow. */
function outOfOrder({ client, space, kind }: PageList): AppError {
  return new AppError(
    'source_misread',
    `listing the ${kind}s of space ${space.key}: the list of ${client.site.name} is not in the order of ids`,
  )
}

async function nextOf(list: AsyncGenerator<PageInfo>): Promise<PageInfo | undefined> {
  const { value, done } = await list.next()
  return done ? undefined : value
}
