import type { DocumentRef } from '../../../document.ts'
import type { ListingPage, Warning } from '../../connector.ts'
import { createAssumedWarnings } from '../access/assumed-warnings.ts'
import { type AccessContext, loadAccess, type SpaceAccess } from '../access/page-access.ts'
import { unknownClassReason } from '../access/permissions.ts'
import type { PageInfo, Space } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { byId, compareIds, positionOf } from '../ids.ts'
import { createFingerprint } from './content-fingerprint.ts'
import { byLabels, byQuery, hasFilters } from './filters.ts'
import { fileRef, pageRef } from './refs.ts'

export type ListingRun = AccessContext & { config: WikiConfig }

/** A space ready to list; refs are created 250 pages at a time. */
export type ListedSpace = { space: Space; pages(): Generator<ListingPage> }

const BATCH_SIZE = 250

export async function listSpace(run: ListingRun, space: Space, signal: AbortSignal): Promise<ListedSpace> {
  const { config } = run
  const asOf = new Date()
  const all = await firstPages(run, space, signal)
  const matching = await byQuery(run, { space, rows: all }, signal)
  const [spaceAccess, fingerprintOf] = await Promise.all([
    loadAccess(run, { space, rows: matching.rows }, signal),
    createFingerprint(run, space, signal),
  ])
  const maxPages = config.max_num_of_docs_from_each_space
  const { rows: left, undecided } = byLabels(config, matching, spaceAccess.metadata)
  const rows = left.slice(0, maxPages)
  const cut = left.length > maxPages
  const toRefs = (row: PageInfo): DocumentRef[] => {
    const files = spaceAccess.metadata.files.get(row.id) ?? []
    const input = {
      site: run.client.site,
      space,
      row,
      fingerprint: fingerprintOf(row.id, files),
      ...spaceAccess,
    }
    const page = { ...pageRef(input), ...(undecided.has(row.id) ? { undecided: true as const } : {}) }
    return [page, ...(config.extract_files ? files.map((file) => fileRef(page, file, run.client.site)) : [])]
  }

  return {
    space,
    pages: function* () {
      const reasons = new Map<string, number>()
      const classes: UnknownClasses = { names: new Set(), documents: 0 }
      const assumed = createAssumedWarnings(space, config.unproved_ancestors)
      for (let i = 0; i < rows.length; i += BATCH_SIZE) {
        const refs = rows.slice(i, i + BATCH_SIZE).flatMap((row) => {
          const created = toRefs(row)
          assumed.note(spaceAccess.assumed(row), created.length)
          return created
        })
        for (const { access } of refs) {
          const { unproved, unknownClasses = [] } = access
          if (unknownClasses.length > 0) classes.documents++
          for (const name of unknownClasses) classes.names.add(name)
          if (unproved && unproved !== unknownClassReason(unknownClasses))
            reasons.set(unproved, (reasons.get(unproved) ?? 0) + 1)
        }
        for (let at = 0; at < refs.length; at += BATCH_SIZE)
          yield { kind: 'refs', scope: space.key, refs: refs.slice(at, at + BATCH_SIZE), asOf }
      }
      const warnings = [
        ...(cut ? [limitWarning(space, maxPages)] : []),
        ...unprovedWarnings(space, reasons),
        ...assumed.warnings(),
        ...unknownClassWarnings(space, classes),
        ...unlistedWarnings(space, spaceAccess),
      ]
      for (const warning of warnings) yield { kind: 'warning', warning }
      const last = rows.at(-1)
      yield { kind: 'end', scope: space.key, ...(cut && last ? { upTo: positionOf(last.id) } : {}) }
    },
  }
}

/** The first pages by id, plus one to detect that there are more. */
async function firstPages(run: ListingRun, space: Space, signal: AbortSignal): Promise<PageInfo[]> {
  const { include_blog_posts, statuses, max_num_of_docs_from_each_space: maxPages } = run.config
  const kinds = include_blog_posts ? (['page', 'blogpost'] as const) : (['page'] as const)
  // A filter may drop any of the first pages, so all are needed.
  const max = hasFilters(run.config) ? Number.POSITIVE_INFINITY : maxPages
  const lists = kinds
    .flatMap((kind) => statuses.map((status) => ({ kind, status })))
    // Blog posts cannot be archived; requesting archived ones is an error.
    .filter(({ kind, status }) => kind === 'page' || status === 'current')
  const rows = new Map<string, PageInfo>()
  for (const list of lists) {
    for (const row of await firstOf(run, { ...list, space, max }, signal)) rows.set(row.id, row)
  }
  const sorted = [...rows.values()].sort(byId)
  return Number.isFinite(max) ? sorted.slice(0, max + 1) : sorted
}

type PageQuery = { space: Space; kind: PageInfo['kind']; status: 'current' | 'archived'; max: number }

async function firstOf({ client }: ListingRun, query: PageQuery, signal: AbortSignal): Promise<PageInfo[]> {
  const { space, kind, status, max } = query
  const rows: PageInfo[] = []
  let ascending = true
  let last = ''
  const asked = { kind, status, pageSize: Math.min(BATCH_SIZE, max + 1) }
  for await (const { pages, inOrder } of client.pagesIn(space, asked, signal)) {
    ascending &&= inOrder
    for (const row of pages) {
      ascending &&= compareIds(last, row.id) < 0
      last = row.id
      if (row.status === status) rows.push(row)
    }
    // An unsorted list has to be read to its end to find the first pages.
    if (ascending && rows.length > max) break
  }
  return rows
}

function limitWarning(space: Space, maxPages: number): Warning {
  return {
    code: 'documents_left_out',
    message:
      `space ${space.key} (${space.name}) has more than ${maxPages} pages; only the first ${maxPages} by id ` +
      'are read (max_num_of_docs_from_each_space)',
  }
}

function unprovedWarnings(space: Space, reasons: Map<string, number>): Warning[] {
  if (reasons.size === 0) return []
  const documents = [...reasons.values()].reduce((sum, count) => sum + count, 0)
  const [first] = [...reasons].sort(([, a], [, b]) => b - a).map(([reason]) => reason)
  const others = reasons.size > 1 ? `, and ${reasons.size - 1} other reasons` : ''
  return [
    {
      code: 'permissions_unproved',
      message: `some permissions on ${documents} pages of space ${space.key} could not be verified and were not granted: ${first}${others}`,
      documents,
    },
  ]
}

type UnknownClasses = { names: Set<string>; documents: number }

function unknownClassWarnings(space: Space, { names, documents }: UnknownClasses): Warning[] {
  if (documents === 0) return []
  const message =
    `space ${space.key} grants permissions to an unknown access class: ${[...names].sort().join(', ')}; ` +
    `it grants nothing on ${documents} documents`
  return [{ code: 'access_class_unknown', message, documents }]
}

function unlistedWarnings(space: Space, { metadata }: SpaceAccess): Warning[] {
  const pages = metadata.unlisted
  if (pages.length === 0) return []
  const shown = pages.slice(0, 10).join(', ')
  const more = pages.length > 10 ? ` and ${pages.length - 10} more` : ''
  return [
    {
      code: 'files_not_listed',
      message: `the files of ${pages.length} pages of space ${space.key} could not be listed: ${shown}${more}`,
      documents: pages.length,
    },
  ]
}
