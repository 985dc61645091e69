import { hash } from 'node:crypto'
import { forEachLimited } from '../../../concurrency.ts'
import { type AllOf, directoryLookups, effectiveLevels, flatten } from '../../../permissions/algebra.ts'
import { type AnyOf, LICENSED } from '../../../permissions/principals.ts'
import type { PageInfo, Space } from '../client.ts'
import type { AccessContext, Assumption } from './access-context.ts'
import type { WikiDirectory } from './directory.ts'
import { createKeptDecisions, type KeptNode } from './kept-decisions.ts'
import { createOpenPages } from './open-pages.ts'
import { type NamedSubject, subjectsOf } from './permission-checks.ts'
import { unprovedReason } from './permissions.ts'
import { createProbe, type NodeVerdict, type Probe } from './probe.ts'
import { ancestorNodes, type Lineage, nonPageParents, type TreeNode } from './tree.ts'

export type Decision = {
  node: string
  /** People who pass the undecided nodes; null if these are open. */
  level: AnyOf | null
  /** Why more people may be allowed than `level` holds. */
  unproved: string | null
  /** Why the setting had to decide; null if the wiki's checks decided. */
  assumed: string | null
}

const CONCURRENT_NODES = 4

type SpaceTree = {
  rows: PageInfo[]
  nodes: ReadonlyMap<string, TreeNode>
  read: AnyOf
  lineageOf(id: string): Lineage
}

/** Unsettled decisions are not used for pages with further restrictions. */
type Decided = Decision & { isSettled: boolean }

type Pass = { tree: SpaceTree; signal: AbortSignal }

/** Who passes the undecided nodes of a space. A decision is kept for later batches and listings. */
export class Decisions {
  readonly #context: AccessContext
  readonly #kept: ReturnType<typeof createKeptDecisions>
  /** By node: decisions about pages without further restrictions. */
  readonly #shared = new Map<string, Decided>()
  readonly #own = new Map<string, Decided>()
  readonly #openPages: ReturnType<typeof createOpenPages>
  #openPageId: string | null = null
  #probe: Probe | undefined

  constructor(context: AccessContext, space: Space) {
    this.#context = context
    this.#kept = createKeptDecisions(context.store, { site: context.client.site.name, space })
    this.#openPages = createOpenPages(space)
  }

  async load(): Promise<void> {
    await Promise.all([this.#kept.load(), this.#context.disclosed.load()])
  }

  /** Whether a node with an empty list of restrictions may be restricted. */
  isUndecided({ id, kind }: { id: string; kind: string }): boolean {
    return !this.#context.disclosed.discloses(kind) || this.#kept.wasRestricted(id)
  }

  /** Records what the wiki disclosed about these nodes. */
  addRestricted(ids: Iterable<string>): void {
    for (const id of ids) this.#kept.setRestricted(id, true)
  }

  get(lineage: Lineage): Decision | undefined {
    if (lineage.unproved || lineage.undecided === null) return undefined
    return this.#own.get(keyOf(lineage)) ?? this.#shared.get(lineage.undecided)
  }

  /** False until a batch contained the home page. */
  isHomeKnown(): boolean {
    return this.#openPages.isHomeKnown()
  }

  async save(options: { isWhole: boolean }): Promise<void> {
    await this.#kept.save(options)
    await this.#context.disclosed.save()
  }

  /**
   * Checks with the wiki who may read a page below each node that is not decided yet. Returns false if a check
   * contradicts an empty list of restrictions: then more nodes are undecided than the lineages say.
   */
  async decide(tree: SpaceTree, signal: AbortSignal): Promise<boolean> {
    if (this.#context.client.permissionChecks) this.#openPages.add(tree)
    const kinds = nonPageParents(tree.nodes.values())
    if (!(await this.#confirmDisclosed(tree, kinds, signal))) return false
    const pagesByNode = pagesBelowUndecided(tree.rows, tree.lineageOf)
    const depthOf = (node: string) => ancestorNodes(tree.nodes, node).length
    const byDepth = Map.groupBy(pagesByNode, ([node]) => depthOf(node))
    // The lowest first: if one is open, so are those above it.
    for (const depth of [...byDepth.keys()].sort((a, b) => b - a))
      await forEachLimited(byDepth.get(depth)!, CONCURRENT_NODES, ([node, pages]) =>
        this.#decideNode(node, pages, { tree, signal }),
      )
    return this.#confirmRestricted(pagesByNode.keys(), kinds)
  }

  async #decideNode(node: string, pages: Map<Lineage, PageInfo>, pass: Pass): Promise<void> {
    // A page without further restrictions represents all pages below the node.
    const unrestricted = pass.tree.lineageOf(node)
    if (pages.has(unrestricted) && !this.#shared.has(node))
      this.#shareOpen(await this.#decideFor(unrestricted, pages, pass), pass.tree)
    for (const lineage of pages.keys()) {
      const key = keyOf(lineage)
      if (lineage === unrestricted || this.#shared.get(node)?.isSettled || this.#own.has(key)) continue
      this.#own.set(key, await this.#decideFor(lineage, pages, pass))
    }
  }

  /** What an open node proves about undecided nodes above it with the same restrictions. */
  #shareOpen(decided: Decided, { nodes, lineageOf }: SpaceTree): void {
    this.#shared.set(decided.node, decided)
    if (decided.level || !decided.isSettled || decided.assumed) return
    const restricted = keyOf({ ...lineageOf(decided.node), undecided: '' })
    for (const { id } of ancestorNodes(nodes, decided.node)) {
      const lineage = lineageOf(id)
      if (lineage.undecided !== id || keyOf({ ...lineage, undecided: '' }) !== restricted) continue
      if (!this.#shared.has(id)) this.#shared.set(id, { ...decided, node: id })
    }
  }

  async #decideFor(
    lineage: Lineage,
    pages: Map<Lineage, PageInfo>,
    { tree, signal }: Pass,
  ): Promise<Decided> {
    const { directory } = this.#context
    const node = lineage.undecided!
    const levels = [tree.read, ...lineage.restrictions]
    const groups = levels.flatMap((level) => [...level.groups])
    await directory.load({ ...directoryLookups(levels), groups }, signal)
    const key = keyOf(lineage)
    const place = ancestorNodes(tree.nodes, node).map(({ id }) => id)
    const basis = hashOf([place, levels.map(sortedLists), membersOf(groups, directory)])
    const page = pages.get(lineage)!.id
    const before = this.#kept.get(key)
    if (before && before.basis === basis && (await this.#isStillProved(key, { before, page }, signal))) {
      const { level, unproved } = before
      return { node, level, unproved, assumed: null, isSettled: unproved === null }
    }
    const readers = readersOf(levels, directory)
    const verdict = await this.#currentProbe().decide({ pageId: page, readers }, signal)
    await this.#keep(key, { verdict, basis }, signal)
    const decision = toDecision(node, verdict, this.#context.unprovedAncestors)
    return { ...decision, isSettled: isSettled(verdict) }
  }

  async #isStillProved(
    key: string,
    { before, page }: { before: KeptNode; page: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    if (before.members !== null && before.members !== (await this.#allMembers(signal))) return false
    const checks = Math.max(1, before.subjects.length)
    if (!this.#kept.isDue(key) || !this.#context.rechecks.take(checks)) return true
    if (Date.now() - Date.parse(before.decidedAt) > DECIDE_AGAIN_MS) return false
    if (!(await this.#currentProbe().allPass(page, before.subjects, signal))) return false
    this.#kept.put(key, before)
    return true
  }

  async #keep(
    key: string,
    { verdict, basis }: { verdict: NodeVerdict; basis: string },
    signal: AbortSignal,
  ): Promise<void> {
    if (verdict.kind === 'undecided') return
    const isOpen = verdict.kind === 'open'
    this.#kept.put(key, {
      basis,
      // Single people may pass as members of a group that the restriction names.
      members: isOpen || verdict.passed.users.size === 0 ? null : await this.#allMembers(signal),
      level: isOpen ? null : verdict.passed,
      unproved: isOpen ? null : verdict.unchecked,
      subjects: isOpen ? verdict.subjects : subjectsOf(verdict.passed),
      decidedAt: new Date().toISOString(),
    })
  }

  async #allMembers(signal: AbortSignal): Promise<string> {
    const { siteGroups, directory } = this.#context
    return hashOf(membersOf(await siteGroups.load(signal), directory))
  }

  #currentProbe(): Probe {
    const openPageId = this.#openPages.find()
    if (!this.#probe || this.#openPageId !== openPageId) {
      const { client, directory, siteGroups } = this.#context
      this.#openPageId = openPageId
      this.#probe = createProbe({ checks: client.permissionChecks, directory, siteGroups, openPageId })
    }
    return this.#probe
  }

  /** Checks a few nodes with empty lists on a site that discloses restrictions. */
  async #confirmDisclosed(
    { rows, nodes, read, lineageOf }: SpaceTree,
    kinds: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { directory, disclosed, samples } = this.#context
    const isDisclosed = (row: PageInfo) => {
      const { undecided, unproved } = lineageOf(row.id)
      return row.status === 'current' && !undecided && !unproved && kinds.has(row.parent?.id ?? '')
    }
    const byFolder = new Map(rows.filter(isDisclosed).map((row) => [row.parent!.id, row]))
    const turn = Math.floor(Date.now() / HOUR_MS)
    const inTurn = [...byFolder].sort(([a], [b]) => (hashOf([turn, a]) < hashOf([turn, b]) ? -1 : 1))
    for (const [, row] of inTurn) {
      if (!samples.take(1)) return true
      const readers = readersOf([read, ...lineageOf(row.id).restrictions], directory)
      const subject = await subjectFor(readers, this.#context, signal)
      const isRefused = subject ? await this.#currentProbe().refuses(row.id, subject, signal) : false
      if (isRefused === false) continue
      if (isRefused)
        disclosed.contradict(ancestorNodes(nodes, row.id).flatMap(({ id }) => kinds.get(id) ?? []))
      else disclosed.distrust()
      return false
    }
    return true
  }

  /** A node that was named as restricted and is still restricted has an empty list: the site no longer discloses. */
  #confirmRestricted(nodes: Iterable<string>, kinds: ReadonlyMap<string, string>): boolean {
    const { disclosed } = this.#context
    let isConfirmed = true
    for (const node of nodes) {
      const decided = this.#shared.get(node)
      const kind = kinds.get(node)
      if (!decided || !kind || !this.#kept.wasRestricted(node)) continue
      if (decided.level === null && decided.isSettled) this.#kept.setRestricted(node, false)
      else if (disclosed.discloses(kind)) {
        disclosed.contradict([kind])
        isConfirmed = false
      }
    }
    return isConfirmed
  }
}

function toDecision(node: string, verdict: NodeVerdict, assumption: Assumption): Decision {
  if (verdict.kind === 'open') return { node, level: null, unproved: null, assumed: null }
  if (verdict.kind === 'restricted')
    return { node, level: verdict.passed, unproved: verdict.unchecked, assumed: null }
  const { passed, reason } = verdict
  if (assumption === 'open') return { node, level: null, unproved: null, assumed: reason }
  return { node, level: passed, unproved: reason, assumed: reason }
}

const HOUR_MS = 3_600_000
/** Proving again checks those who passed; others may pass since. */
const DECIDE_AGAIN_MS = 7 * 24 * HOUR_MS

function hashOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value)).slice(0, 32)
}

function sortedLists({ users, groups, classes }: AnyOf): string[][] {
  return [users, groups, classes].map((list) => [...list].sort())
}

/** Null for a group whose members could not be read. */
function membersOf(groups: string[], directory: WikiDirectory): [string, string[] | null][] {
  return [...new Set(groups)].sort().map((id) => {
    const members = directory.members(id)
    return [id, members ? [...members].sort() : null]
  })
}

/** Equal for pages below the same restricted and undecided nodes. */
function keyOf({ restrictedIds, undecided }: Pick<Lineage, 'restrictedIds' | 'undecided'>): string {
  return `${undecided}/${restrictedIds.join('/')}`
}

/** A group if the space names one, else a person who may read; any account may check itself, which proves little. */
async function subjectFor(
  readers: AnyOf,
  { directory, siteGroups, ownAccount }: AccessContext,
  signal: AbortSignal,
): Promise<NamedSubject | null> {
  const [group] = readers.groups
  if (group) return { kind: 'group', id: group }
  const me = await ownAccount(signal)
  const isReader = (id: string) =>
    id !== me &&
    (readers.users.has(id) || (readers.classes.size > 0 && directory.inClass(id, LICENSED) === true))
  const find = () =>
    [...readers.users, ...directory.people()].find((id) => directory.isActive(id) && isReader(id))
  let person = find()
  if (!person && readers.classes.size > 0) {
    await siteGroups.licensed(signal)
    person = find()
  }
  return person ? { kind: 'user', id: person } : null
}

/** Everyone these levels allow, or a superset if some members are unknown. */
function readersOf(levels: AllOf, directory: WikiDirectory): AnyOf {
  const { who, unresolved } = flatten(levels, directory)
  if (!unprovedReason(unresolved, [levels], directory)) return who
  // Every reader passes each level, so any level is a superset.
  const unread = ({ groups }: AnyOf) => [...groups].filter((id) => !directory.members(id)).length
  const [narrowest = who] = effectiveLevels(levels).toSorted(
    (a, b) =>
      a.classes.size - b.classes.size ||
      unread(a) - unread(b) ||
      a.users.size + a.groups.size - b.users.size - b.groups.size,
  )
  return narrowest
}

/** For each undecided node the lineages below it, each with one page to check. */
function pagesBelowUndecided(
  rows: PageInfo[],
  lineageOf: (id: string) => Lineage,
): Map<string, Map<Lineage, PageInfo>> {
  const pagesByNode = new Map<string, Map<Lineage, PageInfo>>()
  for (const row of rows) {
    const lineage = lineageOf(row.id)
    if (lineage.unproved || lineage.undecided === null) continue
    const pages = pagesByNode.get(lineage.undecided) ?? new Map<Lineage, PageInfo>()
    pagesByNode.set(lineage.undecided, pages)
    const before = pages.get(lineage)
    if (!before || (before.status !== 'current' && row.status === 'current')) pages.set(lineage, row)
  }
  return pagesByNode
}

function isSettled(verdict: NodeVerdict): boolean {
  return verdict.kind === 'open' || (verdict.kind === 'restricted' && verdict.unchecked === null)
}
