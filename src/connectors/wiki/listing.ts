import type { Access } from '../../access.ts'
import type { DocumentRef } from '../../document.ts'
import { AppError } from '../../errors.ts'
import type { ListingPage, Warning } from '../connector.ts'
import type { PageInfo, Roles, Space, WikiClient } from './client.ts'
import type { WikiDirectory } from './directory.ts'
import { gatherAbove, gatherMarks, type Marked } from './gathering.ts'
import { byId, compareIds, positionOf } from './ids.ts'
import { accessOf, neededFor, nobody, type SpaceRights, type Standing, spaceRights } from './permissions.ts'
import { ancestorsOf, type Lineage, lineages, type Node } from './tree.ts'

export type Run = { client: WikiClient; directory: WikiDirectory; roles: Promise<Roles>; mostPages: number }

/** A space with everything its refs need; they are made when they are taken, 250 at a time. */
export type ListedSpace = { space: Space; pages(): Generator<ListingPage> }

export async function listSpace(run: Run, space: Space, signal: AbortSignal): Promise<ListedSpace> {
  const { client, directory } = run
  const [{ rows, cut }, rights] = await Promise.all([
    firstPages(run, space, signal),
    rightsOf(run, space, signal),
  ])
  const above = await gatherAbove(client, { space, rows }, signal)
  const marked = await gatherMarks({ client, directory }, { pages: rows, above }, signal)
  const nodes = new Map<string, Node>([...rows, ...above].map((node) => [node.id, node]))
  const standing = standings({ rows, nodes, marked, rights })
  await loadWanted(directory, standing, signal)
  const access = resolver(standing, directory)

  return {
    space,
    pages: function* () {
      const reasons = new Map<string, number>()
      for (let i = 0; i < rows.length; i += 250) {
        const refs = rows.slice(i, i + 250).map((row) => {
          const ref = toRef({ site: client.site, space, row, nodes, marked }, access(row))
          if (ref.access.unproved)
            reasons.set(ref.access.unproved, (reasons.get(ref.access.unproved) ?? 0) + 1)
          return ref
        })
        yield { kind: 'refs', scope: space.key, refs }
      }
      const warnings = [...(cut ? [limited(space, run.mostPages)] : []), ...unproved(space, reasons)]
      for (const warning of warnings) yield { kind: 'warning', warning }
      const last = rows.at(-1)
      yield { kind: 'end', scope: space.key, ...(cut && last ? { upTo: positionOf(last.id) } : {}) }
    },
  }
}

/** The first current pages by id. One more than the limit is asked for, to know whether there are more. */
async function firstPages(
  run: Run,
  space: Space,
  signal: AbortSignal,
): Promise<{ rows: PageInfo[]; cut: boolean }> {
  const { client, mostPages } = run
  const rows = new Map<string, PageInfo>()
  let ascending = true
  let last = ''
  for await (const { pages, inOrder } of client.pagesIn(space, Math.min(250, mostPages + 1), signal)) {
    ascending &&= inOrder
    for (const row of pages) {
      ascending &&= compareIds(last, row.id) < 0
      last = row.id
      if (row.status === 'current') rows.set(row.id, row)
    }
    // A server that does not sort has to be read to its end before anything can be called the first.
    if (ascending && rows.size > mostPages) break
  }
  const sorted = [...rows.values()].sort(byId)
  return { rows: sorted.slice(0, mostPages), cut: sorted.length > mostPages }
}

async function rightsOf(run: Run, space: Space, signal: AbortSignal): Promise<SpaceRights | string> {
  const { client } = run
  const grants = await run.roles.then((roles) => client.grants(space, roles, signal)).catch(whyUnread)
  if (typeof grants === 'string') return grants
  const rights = spaceRights(grants, client.superGroup)
  const { users, groups, classes } = rights.read
  if (users.size + groups.size + classes.size > 0) return rights
  return `the wiki names nobody who may read space ${space.key}`
}

function whyUnread(error: unknown): string {
  if (error instanceof AppError && !error.endsJob) return error.message
  throw error
}

type Standings = (row: PageInfo) => { lineage: Lineage; standing: Standing | string }

/** What bears on each page; pages below the same restrictions share one lineage, by identity. */
function standings(listed: {
  rows: PageInfo[]
  nodes: Map<string, Node>
  marked: Marked
  rights: SpaceRights | string
}): { rows: PageInfo[]; of: Standings } {
  const { rows, nodes, marked, rights } = listed
  const lineageOf = lineages(nodes, {
    read: (id) => marked.restrictions.get(id)?.read ?? null,
    unread: (id) => marked.unread.get(id) ?? null,
  })
  return {
    rows,
    of: (row) => {
      const lineage = lineageOf(row.id)
      if (typeof rights === 'string') return { lineage, standing: rights }
      if (lineage.unproved) return { lineage, standing: lineage.unproved }
      const update = marked.restrictions.get(row.id)?.update ?? null
      return { lineage, standing: { rights, above: lineage.above, update, creator: row.author } }
    },
  }
}

async function loadWanted(
  directory: WikiDirectory,
  { rows, of }: { rows: PageInfo[]; of: Standings },
  signal: AbortSignal,
) {
  const groups = new Set<string>()
  const users = new Set<string>()
  const seen = new Map<Lineage, Set<string>>()
  for (const row of rows) {
    const { lineage, standing } = of(row)
    if (typeof standing === 'string' || !isNew(seen, lineage, keyOf(row, standing))) continue
    const wanted = neededFor(standing)
    for (const group of wanted.groups) groups.add(group)
    for (const user of wanted.users) users.add(user)
  }
  await directory.load({ groups, users }, signal)
}

/** The access of each page, worked out once for all pages on which the same things bear. */
function resolver({ of }: { of: Standings }, directory: WikiDirectory): (row: PageInfo) => Access {
  const memo = new Map<Lineage, Map<string, Access>>()
  return (row) => {
    const { lineage, standing } = of(row)
    if (typeof standing === 'string') return nobody(standing)
    const key = keyOf(row, standing)
    const known = memo.get(lineage) ?? new Map<string, Access>()
    memo.set(lineage, known)
    const access = known.get(key) ?? accessOf(standing, directory)
    known.set(key, access)
    return access
  }
}

/** Beside the lineage: a page's own update restriction, and its creator where creators may have more. */
function keyOf(row: PageInfo, { update, rights: { removeOwn } }: Standing): string {
  const own = removeOwn.users.size + removeOwn.groups.size + removeOwn.classes.size > 0
  return `${update ? row.id : ''}|${own ? row.author : ''}`
}

function isNew(seen: Map<Lineage, Set<string>>, lineage: Lineage, key: string): boolean {
  const keys = seen.get(lineage) ?? new Set()
  seen.set(lineage, keys)
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

type Around = {
  site: WikiClient['site']
  space: Space
  row: PageInfo
  nodes: Map<string, Node>
  marked: Marked
}

function toRef({ site, space, row, nodes, marked }: Around, access: Access): DocumentRef {
  return {
    recordId: `${site.name}/${row.id}`,
    scope: space.key,
    position: positionOf(row.id),
    version: row.version,
    title: row.title,
    url: row.url ?? `${site.home}/spaces/${encodeURIComponent(space.key)}/pages/${row.id}`,
    locator: { space_key: space.key, page_id: row.id },
    filename: `${row.id}.html`,
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
    author: row.author,
    space: { key: space.key, name: space.name },
    labels: marked.labels.get(row.id) ?? [],
    ancestors: ancestorsOf(nodes, row.id).map(({ id, title }) => ({ id, title })),
    access,
  }
}

function limited(space: Space, mostPages: number): Warning {
  return {
    code: 'documents_left_out',
    message:
      `space ${space.key} (${space.name}) has more than ${mostPages} pages; only the first ${mostPages} by id ` +
      'are read, since max_num_of_docs_from_each_space says so',
  }
}

function unproved(space: Space, reasons: Map<string, number>): Warning[] {
  if (reasons.size === 0) return []
  const documents = [...reasons.values()].reduce((sum, count) => sum + count, 0)
  const [first] = [...reasons].sort(([, a], [, b]) => b - a).map(([reason]) => reason)
  const others = reasons.size > 1 ? `, and ${reasons.size - 1} other reasons` : ''
  return [
    {
      code: 'permissions_unproved',
      message: `not all rights on ${documents} pages of space ${space.key} could be proved, and were not granted: ${first}${others}`,
      documents,
    },
  ]
}
