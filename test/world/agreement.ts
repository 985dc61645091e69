import assert from 'node:assert/strict'
import type { World } from './world.ts'

/** One element in the index. */
export type Indexed = {
  _id: string
  _version: number
  _source: {
    record_id: string
    element_id: string
    type: string
    text: string
    embeddings?: number[]
    metadata: {
      data_source: {
        version: string
        url: string
        title: string
        labels: string[]
        ancestors: { id: string; title: string }[]
        record_locator: { page_id: string; space_key: string }
        permissions_data: [{ read: List }, { update: List }, { delete: List }]
        access: Record<string, string[]>
        date_processed: string
      }
      [key: string]: unknown
    }
  }
}
type List = { users: string[]; groups: string[]; access_classes?: string[] }

type IsWanted = (element: Indexed) => boolean

/** All elements of the world's destination, or the wanted ones. */
export async function contents(
  { destination }: Pick<World, 'destination'>,
  { isWanted = () => true }: { isWanted?: IsWanted | undefined } = {},
): Promise<Indexed[]> {
  return (await destination.contents()).filter(isWanted)
}

/** Equal documents and ids; only processing times may differ. */
export function assertSameContents(one: Indexed[], other: Indexed[], after: string): void {
  const [left, right] = [one, other].map(
    (elements) => new Map(elements.map((each) => [each._id, withoutTimes(each)])),
  )
  assert.ok(left && right)
  const summary = ({ record_id, text }: Indexed['_source']) => `${record_id}: ${text.slice(0, 60)}`
  const extra = (these: typeof left, those: typeof left) =>
    [...these].filter(([id]) => !those.has(id)).map(([, source]) => summary(source))
  assert.deepEqual(extra(left, right), [], `stale after\n${after}`)
  assert.deepEqual(extra(right, left), [], `missing after\n${after}`)
  for (const [id, source] of left)
    assert.deepEqual(source, right.get(id), `${summary(source)} after\n${after}`)
  assert.deepEqual([left.size, right.size], [one.length, other.length])
}

function withoutTimes({ _source }: Indexed): Indexed['_source'] {
  const { date_processed: _, ...rest } = _source.metadata.data_source
  return { ..._source, metadata: { ..._source.metadata, data_source: { ...rest, date_processed: '' } } }
}

/** The id of one document in the index. */
export async function anyRecord(world: World): Promise<string> {
  return (await contents(world))[0]?._source.record_id ?? assert.fail('the index is empty')
}

export function pageIdOf(element: Indexed): string {
  return element._source.metadata.data_source.record_locator.page_id
}

export function byPage(elements: Indexed[]): Map<string, Indexed[]> {
  return Map.groupBy(elements, pageIdOf)
}

/** The expected pages, and the elements to compare with them. */
export type AgreementOptions = {
  only?: (page: { id: string; spaceKey: string }) => boolean
  isWanted?: IsWanted
}

/** The index holds exactly the current pages that the crawler sees, readable by exactly the people the wiki allows. */
export async function assertAgreement(
  world: Pick<World, 'wiki' | 'destination'>,
  { only, isWanted }: AgreementOptions = {},
): Promise<Indexed[]> {
  const elements = await contents(world, { isWanted })
  const pages = byPage(elements)
  const truth = await world.wiki.control.truth()
  const currentSpaces = new Set(
    truth.spaces.filter((space) => space.status === 'current').map((space) => space.key),
  )
  const unseen = new Set(truth.hiddenNodes.crawler)
  const expected = truth.pages.filter(
    (page) =>
      page.kind === 'page' &&
      page.status === 'current' &&
      currentSpaces.has(page.spaceKey) &&
      !unseen.has(page.id) &&
      (only?.(page) ?? true),
  )
  assert.deepEqual([...pages.keys()].sort(), expected.map((page) => page.id).sort(), 'the pages in the index')

  const readers = await world.wiki.control.readers()
  // Deactivated and closed accounts have no tokens.
  const active = truth.people.filter((person) => person.active && !person.closed)
  const site = new URL(world.wiki.siteUrl).host
  const people = active.map((person) => ({
    id: person.accountId,
    site,
    groups: new Set(
      truth.groups
        .filter((group) => !group.deleted && group.members.includes(person.accountId))
        .map((group) => group.id),
    ),
    classes: new Set([
      'anonymous-users',
      ...(person.guest ? [] : ['authenticated-users']),
      ...(person.accountType === 'atlassian' && person.licensed && !person.guest
        ? ['all-licensed-users']
        : []),
    ]),
  }))
  for (const page of expected) {
    const pageElements = pages.get(page.id) ?? []
    assert.equal(new Set(pageElements.map((element) => element._id)).size, pageElements.length)
    for (const element of pageElements) {
      const about = element._source.metadata.data_source
      assert.equal(about.version, String(page.version), `the version of "${page.title}"`)
      assert.equal(about.title, page.title)
      const byLists = people
        .filter((person) => inList(about.permissions_data[0].read, person))
        .map((person) => person.id)
      const byClauses = people.filter((person) => inClauses(about.access, person)).map((person) => person.id)
      const may = (readers[page.id] ?? []).toSorted()
      assert.deepEqual(byLists.toSorted(), may, `who reads "${page.title}" (${page.id}) by the lists`)
      assert.deepEqual(byClauses.toSorted(), may, `who reads "${page.title}" (${page.id}) by the clauses`)
    }
  }
  return elements
}

type IndexReader = { id: string; site: string; groups: Set<string>; classes: Set<string> }

function inList(list: List, person: IndexReader): boolean {
  return (
    list.users.includes(person.id) ||
    list.groups.some((group) => person.groups.has(group)) ||
    (list.access_classes ?? []).some((name) => person.classes.has(name))
  )
}

function inClauses(access: Record<string, string[]>, person: IndexReader): boolean {
  const holds = (entry: string): boolean => {
    const [kind, ...rest] = entry.split(':')
    const name = rest.join(':')
    if (kind === 'user') return name === person.id
    if (kind === 'group') return person.groups.has(name)
    // A class of this element's site; another site has another class.
    const site = `${person.site}/`
    const own = name === 'anonymous-users' ? name : name.startsWith(site) ? name.slice(site.length) : ''
    return kind === 'class' && person.classes.has(own)
  }
  assert.ok(access.c0, 'every element has its first clause')
  return Object.values(access).every((clause) => clause.some(holds))
}
