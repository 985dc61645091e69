import { notFound } from '../errors.ts'
import { withSource } from '../jobs/connections.ts'
import { ANONYMOUS, admittingTokens } from '../permissions/principals.ts'
import { siteOfRecord } from '../record-id.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { type DocumentLevels, documentLevels } from '../store/ledger/document-levels.ts'
import type { SearchContext } from './context.ts'
import { isFresh } from './hit-check.ts'
import { PATIENCE_MS } from './memberships.ts'
import type { Names } from './names.ts'
import { firstPrincipals, principalLists, withNames } from './principals.ts'
import { type Candidates, readerCandidates } from './reader-candidates.ts'
import { commonClass, narrowestLevel, type ReaderLevel, readerLevels, unknownClass } from './reader-levels.ts'
import type { DocumentReaders } from './shapes/lab.ts'
import { workflowsWritingTo } from './writers.ts'

const MAX_LISTED = 500
/** Leaves time for the response before the deadline of the route. */
const MEMBERS_MS = 20_000

/** Who can read a document by its current permissions, with what lets each of them in. */
export async function documentReaders(
  { context, names }: { context: SearchContext; names: Names },
  { destination, recordId }: { destination: ConnectorRow; recordId: string },
  signal: AbortSignal,
): Promise<DocumentReaders> {
  const { resources, connections } = context
  const workflows = await workflowsWritingTo(resources, destination)
  const workflowIds = workflows.map(({ id }) => id)
  const ledgers = await documentLevels(resources.db, workflowIds, [recordId])
  const [first] = ledgers
  if (!first) throw notFound('Document')
  const maxAgeHours = new Map(workflows.map(({ id, max_permission_age_hours: hours }) => [id, hours]))
  const now = new Date()
  const fresh = ledgers.filter((ledger) => isFresh(ledger, { maxAgeHours, now, tokensOf: () => new Set() }))
  const site = siteOfRecord(recordId)
  const naming = { names, destination, site }
  const levels = readerLevels(fresh, site)
  const about = {
    record_id: recordId,
    title: first.ref.title,
    as_of: oldestOf(fresh.length > 0 ? fresh : ledgers),
    levels: levels.map(({ who, ...level }) => ({ ...level, principals: principalsOf(who) })),
  }
  const hiddenBy = fresh.length === 0 ? 'too old' : fresh.some(({ hidden }) => hidden) ? 'not proved' : null
  if (hiddenBy) {
    const reason = `search hides the document from everyone: its permissions are ${hiddenBy}`
    return nameReaders({ ...about, ...NO_READERS, complete: true, reason }, naming)
  }

  const common = commonClass(levels)
  const candidates = await readCandidates()
  const passed = candidates.people.flatMap((person) => {
    const through = levels.flatMap((level) => {
      const [by] = admittingTokens(level.who, person)
      return by === undefined ? [] : [{ ...placeOf(level), by, by_name: null }]
    })
    const name = candidates.names.get(person.user) ?? null
    return through.length === levels.length ? [{ id: person.user, name, through }] : []
  })
  const isCut = passed.length > MAX_LISTED
  const reason = candidates.reason ?? (isCut ? `only ${MAX_LISTED} people are listed` : null)
  return nameReaders(
    {
      ...about,
      everyone: common && `class:${common}`,
      groups: groupsPassing(levels, { candidates, passed: new Set(passed.map(({ id }) => id)) }),
      people: passed.toSorted(byName).slice(0, MAX_LISTED),
      total_people: passed.length,
      complete: reason === null,
      reason,
    },
    naming,
  )

  async function readCandidates(): Promise<Candidates> {
    if (common === ANONYMOUS) return unread(null)
    const narrowest = narrowestLevel(levels, common)
    const sourceId = workflows.find(({ id }) => id === fresh[0]?.workflowId)?.source_id
    if (!narrowest || !sourceId) return unread('the source is not connected any more')
    return withSource(connections, { sourceId, maxWaitMs: PATIENCE_MS }, async (source) => {
      if (!source.people) return unread('the source does not list people')
      const limited = AbortSignal.any([signal, AbortSignal.timeout(MEMBERS_MS)])
      const found = await readerCandidates(source.people, { narrowest, levels }, limited)
      const unlisted = unknownClass(narrowest)
      if (unlisted) found.reason ??= `the members of class ${unlisted} are unknown`
      const remembered = [...found.names].map(([id, name]) => ({ id, name }))
      await names.remember({ workspaceId: destination.workspace_id, site }, remembered)
      return found
    })
  }
}

/** Fills in the names of all people and groups. */
async function nameReaders(
  readers: DocumentReaders,
  { names, destination, site }: { names: Names; destination: ConnectorRow; site: string },
): Promise<DocumentReaders> {
  const inLevels = principalLists(readers.levels.map(({ principals }) => principals))
  const unnamed = readers.people.flatMap(({ id, name }) => (name === null ? [id] : []))
  const through = readers.people.flatMap((person) => person.through.map(({ by }) => by))
  const found = await names.of(
    destination,
    {
      users: [...inLevels.users, ...unnamed],
      groups: [...inLevels.groups, ...idsIn(through, 'group:'), ...readers.groups.map(({ id }) => id)],
    },
    { site },
  )
  const nameOf = (token: string) =>
    found.groups.get(token.replace(/^group:/, '')) ?? found.users.get(token.replace(/^user:/, '')) ?? null
  return {
    ...readers,
    levels: readers.levels.map((level) => {
      return { ...level, principals: withNames(level.principals, found) }
    }),
    groups: readers.groups.map((group) => ({ ...group, name: found.groups.get(group.id) ?? null })),
    people: readers.people.map(({ name, ...person }) => {
      const own = name ?? found.users.get(person.id) ?? null
      return {
        ...person,
        name: own,
        through: person.through.map((level) => ({
          ...level,
          by_name: level.by === `user:${person.id}` ? own : nameOf(level.by),
        })),
      }
    }),
  }
}

const NO_READERS = { everyone: null, groups: [], people: [], total_people: 0 }

function unread(reason: string | null): Candidates {
  return { people: [], members: new Map(), names: new Map(), reason }
}

function oldestOf(ledgers: DocumentLevels[]): string {
  return new Date(Math.min(...ledgers.map(({ asOf }) => asOf.getTime()))).toISOString()
}

function principalsOf({ users, groups, classes }: ReaderLevel['who']) {
  return firstPrincipals({ users: [...users], groups: [...groups], classes: [...classes] })
}

function placeOf({ level, id, title }: ReaderLevel) {
  return { level, id, title }
}

/** Groups whose known active members all pass. */
function groupsPassing(
  levels: ReaderLevel[],
  { candidates, passed }: { candidates: Candidates; passed: ReadonlySet<string> },
): DocumentReaders['groups'] {
  return [...candidates.members].flatMap(([id, members]) => {
    if (members.length === 0 || !members.every((user) => passed.has(user))) return []
    const through = levels.filter(({ who }) => who.groups.has(id)).map(placeOf)
    return through.length > 0 ? [{ id, name: null, through }] : []
  })
}

function byName(a: { id: string; name: string | null }, b: { id: string; name: string | null }): number {
  return (a.name ?? a.id).localeCompare(b.name ?? b.id)
}

function idsIn(tokens: string[], prefix: string): string[] {
  return tokens.flatMap((token) => (token.startsWith(prefix) ? [token.slice(prefix.length)] : []))
}
