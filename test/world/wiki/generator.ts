import { varyBlogpostRows } from './blogpost-rows.ts'
import { generateBody } from './body.ts'
import { addEveryKind } from './every-kind.ts'
import { addComments } from './generate-comments.ts'
import { addIncludes } from './includes.ts'
import { addAttachment } from './model/attachments.ts'
import { addNode, addSpace, type NewNode } from './model/edits.ts'
import { corruptPdf, pdfFile, pngFile } from './model/files.ts'
import {
  ancestorNodes,
  type ContentNode,
  emptyWorld,
  isCloudOnly,
  type Space,
  type World,
} from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'
import { grant } from './model/roles.ts'
import type { Settings } from './model/settings.ts'
import { addOrdinaryFolders } from './ordinary-folders.ts'
import { type Cast, generatePeople } from './people.ts'
import { addShapes, restrictSome } from './restrict.ts'
import { pageTitle, paragraph, type Topic, topics } from './words.ts'

export interface GeneratorOptions {
  seed?: number
  spaces?: number
  /** Current pages in current spaces, home pages included: the result of a full crawl. */
  pages?: number
  people?: number
  groups?: number
  /** Adds comments to some pages: footer and inline, replies, every resolution. */
  comments?: boolean
  /** Pages hold macros of all kinds: includes, excerpts, lists and reports of other pages. */
  includes?: boolean
  /** Adds guests, deactivated and other accounts, whiteboards and databases. */
  everyKind?: boolean
  /** Puts every page below one to three folders, few of them restricted. */
  folders?: 'ordinary' | undefined
}

/** A wiki from a seed; archived, trashed and draft pages are added to `pages`. */
export function generateWiki(options: GeneratorOptions = {}, settings: Partial<Settings> = {}): World {
  const {
    seed = 1,
    spaces = 5,
    pages = 200,
    people = 40,
    groups = 10,
    comments = false,
    includes = false,
    everyKind = false,
    folders,
  } = options
  const world = emptyWorld(settings)
  const random = createRandom(seed)
  const cast = generatePeople(world, random, { people, groups })
  const allSpaces = generateSpaces(world, random, { count: spaces, cast })
  const current = allSpaces.filter((space) => space.status === 'current')
  const titles = new Set<string>()
  const state: GeneratorState = { world, random, cast, titles, topicOf: new Map(), parents: new Map() }
  for (const space of allSpaces)
    space.homepageId = addPage(state, { space, topic: topics[0] as Topic, title: `${space.name} Home` }).id
  const first = current[0]
  if (first !== undefined && pages >= current.length + 20)
    addShapes(
      state,
      first,
      allSpaces.find((space) => space.usesRoles),
    )
  let left =
    pages -
    [...world.nodes.values()].filter(
      (node) => node.kind === 'page' && current.some(({ id }) => id === node.spaceId),
    ).length
  for (let at = 0; left > 0; at++, left--) addRandomPage(state, current[at % current.length] as Space)
  addInactivePages(state, allSpaces, Math.max(2, Math.ceil(pages * 0.03)))
  restrictSome(state)
  const limited = world.accounts.find((account) => account.name === 'limited')
  const second = current[1]
  if (second !== undefined) limited?.hiddenSpaces.add(second.id)
  for (const node of world.nodes.values()) fillPage(state, node)
  varyBlogpostRows(world, seed)
  if (comments) addComments(world, cast.people, seed)
  if (includes) addIncludes(world, seed)
  if (everyKind) addEveryKind(world, cast.groups, seed)
  if (folders === 'ordinary') addOrdinaryFolders(world, cast.groups, seed)
  return world
}

export interface GeneratorState {
  world: World
  random: Random
  cast: Cast
  titles: Set<string>
  topicOf: Map<string, Topic>
  /** Possible parents of new pages, by space. */
  parents: Map<string, ContentNode[]>
}

const spaceNames: readonly (readonly [string, string])[] = [
  ['ENG', 'Engineering'],
  ['HR', 'People and Culture'],
  ['FIN', 'Finance'],
  ['MKT', 'Marketing'],
  ['OPS', 'Operations'],
  ['SAL', 'Sales'],
  ['SEC', 'Security'],
  ['DATA', 'Data'],
  ['MOB', 'Mobile'],
  ['SUP', 'Customer Support'],
]

/** With four or more: the last is archived, then personal, then with roles. */
function generateSpaces(
  world: World,
  random: Random,
  { count, cast }: { count: number; cast: Cast },
): Space[] {
  return Array.from({ length: count }, (_, at) => {
    const [key, name] = spaceNames[at % spaceNames.length] as readonly [string, string]
    const turn = Math.floor(at / spaceNames.length)
    const owner = random.pick(cast.people)
    const managers = random.pick(cast.groups)
    const personal = count >= 4 && at === count - 2
    const common = { authorId: owner.accountId, createdAt: dateIn(random, 2024) }
    if (personal) {
      const permissions = [
        ...grant('user', owner.accountId, 'manager'),
        ...grant('group', managers.id, 'viewer'),
      ]
      return addSpace(world, {
        ...common,
        key: `~${owner.accountId.replaceAll(/[^a-z0-9]/g, '')}`,
        name: owner.name,
        type: 'personal',
        permissions,
      })
    }
    const open = at % 3 === 0
    const archived = count >= 4 && at === count - 1
    const usesRoles = count >= 4 && at === count - 3
    const permissions = [
      ...(open || usesRoles ? grant('access-class', 'all-licensed-users', 'viewer') : []),
      ...random
        .some(cast.groups, random.int(2, 4))
        .flatMap((group) => grant('group', group.id, 'collaborator')),
      ...random.some(cast.people, 3).flatMap((person) => grant('user', person.accountId, 'viewer')),
      ...grant('user', owner.accountId, 'manager'),
      ...(at === 4 ? grant('access-class', 'anonymous-users', 'viewer') : []),
    ]
    return addSpace(world, {
      ...common,
      key: turn === 0 ? key : `${key}${turn}`,
      name: turn === 0 ? name : `${name} ${turn + 1}`,
      status: archived ? 'archived' : 'current',
      usesRoles,
      description: archived ? 'No longer maintained' : null,
      permissions: unique(permissions),
    })
  })
}

// A principal may be drawn twice; the wiki lists a row once.
function unique(rows: Space['permissions']): Space['permissions'] {
  return [...new Map(rows.map((row) => [JSON.stringify(row), row])).values()]
}

/** Under a random page of the space, at most six levels deep, sometimes through a folder. */
function addRandomPage(state: GeneratorState, space: Space): void {
  const { world, random } = state
  let parent = pickParent(state, space)
  if (parent !== undefined && random.chance(0.04) && ancestorNodes(world, parent).length < 5) {
    parent = addNode(world, {
      kind: 'folder',
      spaceId: space.id,
      parentId: parent.id,
      title: `${random.pick(topics).name} folder ${world.nodes.size}`,
      authorId: space.authorId,
      createdAt: dateIn(random, 2025),
    })
    addParent(state, parent)
  }
  addPage(state, { space, topic: random.pick(topics), parent })
}

export function addPage(
  state: GeneratorState,
  input: { space: Space; topic: Topic; title?: string; parent?: ContentNode | undefined } & Partial<NewNode>,
): ContentNode {
  const { world, random, cast, titles } = state
  const { space, topic, parent, title: wanted = pageTitle(random, topic), ...rest } = input
  let title = wanted
  for (let at = 2; titles.has(`${space.id} ${title}`); at++) title = `${wanted} (${at})`
  titles.add(`${space.id} ${title}`)
  const createdAt = dateIn(random, 2025)
  const node = addNode(world, {
    spaceId: space.id,
    parentId: parent?.id ?? null,
    title,
    authorId: random.pick(cast.people).accountId,
    createdAt,
    modifiedAt: dateIn(random, 2026),
    versionNumber: random.int(1, 12),
    labels: random.chance(0.5)
      ? random.some([topic.label, 'kb', 'howto', 'needs-review', 'meeting-notes'], random.int(1, 3))
      : [],
    ...rest,
  })
  state.topicOf.set(node.id, topic)
  addParent(state, node)
  return node
}

function addInactivePages(state: GeneratorState, spaces: Space[], count: number): void {
  const { random } = state
  const archived = spaces.find((space) => space.status === 'archived')
  const current = spaces.filter((space) => space.status === 'current')
  for (let at = 0; at < count; at++) {
    for (const status of ['archived', 'trashed', 'draft'] as const) {
      const space = random.pick(current)
      addPage(state, { space, topic: random.pick(topics), parent: pickParent(state, space), status })
    }
    if (archived !== undefined)
      addPage(state, { space: archived, topic: random.pick(topics), parent: pickParent(state, archived) })
  }
  for (const space of current.slice(0, 2)) {
    addPage(state, { space, topic: random.pick(topics), title: `News from ${space.name}`, kind: 'blogpost' })
  }
}

/** Attachments first, because the body shows them. */
function fillPage({ world, random, cast, topicOf, parents }: GeneratorState, node: ContentNode): void {
  if (isCloudOnly(node.kind)) return
  const topic = topicOf.get(node.id) ?? (topics[0] as Topic)
  const common = { pageId: node.id, authorId: node.authorId }
  const seed = random.int(1, 2 ** 30)
  const image = random.chance(0.12)
    ? addAttachment(world, {
        ...common,
        title: `${topic.label} diagram.png`,
        mediaType: 'image/png',
        bytes: pngFile(seed),
      })
    : undefined
  const broken = random.chance(0.05)
  const file = random.chance(0.1)
    ? addAttachment(world, {
        ...common,
        title: `${topic.label} plan.pdf`,
        mediaType: 'application/pdf',
        bytes: broken ? corruptPdf(seed) : pdfFile(linesAbout(random, topic)),
        broken: broken ? 'corrupt' : 'no',
      })
    : undefined
  const near = parents.get(node.spaceId) ?? []
  const links = near
    .slice(0, 40)
    .flatMap(({ id, title, kind }) =>
      kind === 'page' ? [{ id, title, spaceKey: world.spaces.get(node.spaceId)?.key ?? '' }] : [],
    )
  node.body = generateBody({
    seed,
    topic,
    people: cast.people,
    links,
    ...(image === undefined ? {} : { image }),
    ...(file === undefined ? {} : { file }),
  })
}

const linesAbout = (random: Random, topic: Topic): string[] =>
  paragraph(random, topic, 6).match(/.{1,80}(?: |$)/g) ?? []

function addParent({ world, parents }: GeneratorState, node: ContentNode): void {
  const list = parents.get(node.spaceId) ?? []
  const depth = ancestorNodes(world, node).length
  if (node.status === 'current' && node.kind !== 'blogpost' && depth < 6) list.push(node)
  parents.set(node.spaceId, list)
}

function pickParent({ random, parents }: GeneratorState, space: Space): ContentNode | undefined {
  const list = parents.get(space.id) ?? []
  // Half at the top, half anywhere: wide, with some deep paths.
  return random.chance(0.5) ? list[random.int(0, Math.min(list.length - 1, 12))] : random.pick(list)
}

export function dateIn(random: Random, year: number): string {
  const from = Date.UTC(year, 0, 1)
  // 2026 only until summer, so that nothing is in the future.
  const days = year >= 2026 ? 200 : 365
  return new Date(from + Math.floor(random.next() * days * 86_400_000)).toISOString()
}
