import type { Compute } from '../../compute.ts'
import { forEachLimited } from '../../concurrency.ts'
import { ANONYMOUS } from '../../permissions/principals.ts'
import type { CheckStep } from '../../report.ts'
import { countOf } from '../../report.ts'
import { createAccessContext } from './access/access-context.ts'
import { undefinedUnlessFatal } from './access/directory.ts'
import { loadAccess } from './access/page-access.ts'
import type { PageInfo, Space, StorageBody, WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { renderBody } from './content/render-page.ts'

export const DROPPED_STEP = 'what will be dropped'
export const HIDDEN_STEP = 'what will be hidden'

/** Large enough to be representative while a person waits. */
const SPACES_SAMPLED = 5
const PAGES_SAMPLED = 50
const CONCURRENT_SPACES = 2
const NAMES_SHOWN = 10

/** The names of dropped macros on a page, each once; names of people do not matter here. */
async function droppedMacros(
  { storage }: StorageBody,
  { page: { id, title }, space, client, compute }: SampleInput & { page: PageInfo; space: Space },
  signal: AbortSignal,
): Promise<Iterable<string>> {
  const page = { pageId: id, title, spaceKey: space.key, home: client.site.home }
  const { rendition } = await renderBody({ storage, page, comments: [], names: new Map() }, compute, signal)
  return rendition.dropped
}

type SampleInput = {
  client: WikiClient
  config: WikiConfig
  spaces: Space[]
  compute: Compute | undefined
}

/** What a run would drop and hide, from the first pages of a few spaces. */
export async function checkSample(input: SampleInput, signal: AbortSignal): Promise<CheckStep[]> {
  const spaces = input.spaces.slice(0, SPACES_SAMPLED)
  const counts: SampleCounts = {
    pages: 0,
    read: 0,
    macros: new Map(),
    hidden: new Map(),
    closed: new Map(),
    open: 0,
  }
  await forEachLimited(spaces, CONCURRENT_SPACES, async (space) => {
    const rows = await firstPages(input.client, space, Math.ceil(PAGES_SAMPLED / spaces.length), signal)
    await Promise.all([
      countMacros(input, { space, rows, counts }, signal),
      countHidden(input, { space, rows, counts }, signal),
    ])
    counts.pages += rows.length
  })
  const total = `${countOf(counts.pages, 'sampled page')} in ${countOf(spaces.length, 'space')}`
  return [droppedStep(counts), hiddenStep(counts, total)]
}

type SampleCounts = {
  pages: number
  /** Pages whose bodies were read. */
  read: number
  macros: Map<string, number>
  hidden: Map<string, number>
  /** Pages that no one may read in the wiki either. */
  closed: Map<string, number>
  /** Pages that visitors may read. */
  open: number
}
type Sample = { space: Space; rows: PageInfo[]; counts: SampleCounts }

async function firstPages(
  client: WikiClient,
  space: Space,
  max: number,
  signal: AbortSignal,
): Promise<PageInfo[]> {
  const input = { kind: 'page', status: 'current', pageSize: max } as const
  for await (const { pages } of client.pagesIn(space, input, signal)) return pages.slice(0, max)
  return []
}

async function countMacros(input: SampleInput, { space, rows, counts }: Sample, signal: AbortSignal) {
  if (rows.length === 0) return
  const { client } = input
  const ids = rows.map(({ id }) => id)
  const pages = new Map(rows.map((row) => [row.id, row]))
  for (const body of (await client.bodies(ids, 'page', signal).catch(undefinedUnlessFatal)) ?? []) {
    const page = pages.get(body.id)
    if (!page) continue
    counts.read++
    const dropped = await droppedMacros(body, { ...input, page, space }, signal).catch(undefinedUnlessFatal)
    for (const name of dropped ?? []) count(counts.macros, name)
  }
}

async function countHidden(
  { client, config }: SampleInput,
  { space, rows, counts }: Sample,
  signal: AbortSignal,
) {
  const context = createAccessContext({ client, config, files: false }, signal)
  const { unprovedAncestors } = context
  const spaceAccess = await loadAccess(context, { space, rows }, signal)
  for (const row of rows) {
    const { permissions, unproved } = spaceAccess.access(row)
    const { users, groups, access_classes = [] } = permissions[0].read
    const assumed = spaceAccess.assumed(row)
    if (assumed && unprovedAncestors === 'open')
      count(counts.hidden, `are below a ${assumed.kind} that may be restricted, and count as open`)
    else if (users.length + groups.length + access_classes.length === 0)
      count(unproved ? counts.hidden : counts.closed, `will be found by no one (${unproved ?? CLOSED})`)
    else if (unproved) count(counts.hidden, `will be found by some of their readers only (${unproved})`)
    if (access_classes.includes(ANONYMOUS)) counts.open++
  }
}

function droppedStep({ read, macros }: SampleCounts): CheckStep {
  if (macros.size === 0)
    return { name: DROPPED_STEP, status: 'ok', detail: `nothing on ${countOf(read, 'sampled page')}` }
  const names = [...macros].sort(([, a], [, b]) => b - a).map(([name, pages]) => `${name} (${pages})`)
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
  // Not a warning: the content is indexed with its own page.
  return {
    name: DROPPED_STEP,
    status: 'ok',
    detail:
      `macros that show content of other pages or systems, with the number of pages out of ${read} sampled: ` +
      `${names.slice(0, NAMES_SHOWN).join(', ')}${more}`,
  }
}

const CLOSED = 'no one may read them in the wiki'

function hiddenStep({ hidden: unproved, closed, open }: SampleCounts, total: string): CheckStep {
  const visitors = open > 0 ? `; ${open} may be read by visitors without an account` : ''
  const reasons = [...unproved, ...closed].sort(([, a], [, b]) => b - a)
  if (reasons.length === 0) return { name: HIDDEN_STEP, status: 'ok', detail: `none of ${total}${visitors}` }
  const lines = reasons.map(([reason, pages]) => `${pages} ${reason}`)
  if (unproved.size === 0)
    return { name: HIDDEN_STEP, status: 'ok', detail: `of ${total}: ${lines.join('; ')}${visitors}` }
  return {
    name: HIDDEN_STEP,
    status: 'warning',
    detail: `of ${total}: ${lines.slice(0, NAMES_SHOWN).join('; ')}${visitors}`,
    fix: 'Let the account read permissions, restrictions and groups; on Cloud make it a Confluence administrator',
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
