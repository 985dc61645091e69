import { AppError } from '../../../errors.ts'
import { type AnyOf, union } from '../../../permissions/principals.ts'
import type { KnownDocument, Level } from '../../source.ts'
import type { DecisionStore } from '../../type.ts'
import type { PageInfo, PageKind, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { isFile, nodeOfRef } from '../document-page.ts'
import { createAccessContext } from './access-context.ts'
import { type Decision, Decisions } from './decisions.ts'
import { KnownNodes } from './known-nodes.ts'
import { createAncestorLoader } from './load-ancestors.ts'
import { lineagesOf, spacePermissionsOf } from './page-access.ts'
import { loadMetadata, type SpaceMetadata } from './page-metadata.ts'
import type { Lineage, NodeRef, TreeNode } from './tree.ts'

type LevelContext = { client: WikiClient; config: WikiConfig; store?: DecisionStore | undefined }

/** The levels of a page, loaded as in a listing. A file has its page's levels. */
export async function pageLevels(
  wiki: LevelContext,
  document: KnownDocument,
  signal: AbortSignal,
): Promise<Level[]> {
  const { client } = wiki
  const page = await pageOf(wiki, document, signal)
  const space = await spaceOf(client, { page, key: document.locator.space_key }, signal)
  const context = createAccessContext({ ...wiki, files: false }, signal)
  const asOf = new Date()
  const loadAncestors = createAncestorLoader({ ...context, nodes: new KnownNodes() })
  const decisions = new Decisions(context, space)
  const [permissions, { loaded: ancestors }] = await Promise.all([
    spacePermissionsOf(context, space, signal),
    loadAncestors([page], signal),
    decisions.load(),
  ])
  const metadata = await loadMetadata(context, { pages: [page], ancestors }, signal)
  const nodes = new Map<string, TreeNode>([page, ...ancestors].map((node) => [node.id, node]))
  const readers = typeof permissions === 'string' ? null : permissions.read
  const decided = (lineageOf: (id: string) => Lineage) =>
    readers ? decisions.decide({ rows: [page], nodes, read: readers, lineageOf }, signal) : true
  let lineageOf = lineagesOf(nodes, metadata, decisions)
  while (!(await decided(lineageOf))) lineageOf = lineagesOf(nodes, metadata, decisions)
  const decision = decisions.get(lineageOf(page.id))
  // People exempt from restrictions pass every known level.
  const withExempt = (who: AnyOf) => (typeof permissions === 'string' ? who : union(who, permissions.exempt))
  const first: Level = {
    level: 'space',
    id: space.key,
    title: space.name,
    asOf,
    ...(typeof permissions === 'string' ? { unread: permissions } : { who: withExempt(permissions.read) }),
  }
  const restrictions = pathTo(nodes, page.id).map(
    (node): Level => ({
      level: node.id === page.id ? 'page' : 'ancestor',
      id: node.id,
      title: node.title,
      asOf,
      ...(decision?.node === node.id
        ? decidedRule(decision, withExempt)
        : ruleOf(node, metadata, withExempt)),
    }),
  )
  return [first, ...restrictions]
}

type Rule = { who: AnyOf | null } | { unread: string }

function ruleOf(
  node: TreeNode,
  { restrictions, unreadRestrictions }: SpaceMetadata,
  withExempt: (who: AnyOf) => AnyOf,
): Rule {
  const reason = node.unreadable ?? unreadRestrictions.get(node.id)
  if (reason) return { unread: reason }
  const read = restrictions.get(node.id)?.read
  return { who: read ? withExempt(read) : null }
}

/** Covers all undecided nodes; shown at the lowest. */
function decidedRule({ level, unproved }: Decision, withExempt: (who: AnyOf) => AnyOf): Rule {
  if (!level) return { who: null }
  const isEmpty = level.users.size + level.groups.size + level.classes.size === 0
  return unproved && isEmpty ? { unread: unproved } : { who: withExempt(level) }
}

/** From the top down to the page, unreadable nodes included. */
function pathTo(nodes: ReadonlyMap<string, TreeNode>, pageId: string): TreeNode[] {
  const path: TreeNode[] = []
  const visited = new Set<string>()
  for (let at: NodeRef | null = { id: pageId, type: 'page' }; at; ) {
    const { id, type }: NodeRef = at
    const isCycle = visited.has(id)
    const node: TreeNode | undefined = isCycle ? undefined : nodes.get(id)
    const reason = isCycle
      ? `the ancestors of page ${pageId} form a cycle`
      : `the ${type} ${id} could not be read`
    path.unshift(node ?? { id, title: '', parent: null, unreadable: reason })
    visited.add(id)
    at = node?.parent ?? null
  }
  return path
}

async function pageOf(
  { client, config }: LevelContext,
  document: KnownDocument,
  signal: AbortSignal,
): Promise<PageInfo> {
  const node = isFile(document)
    ? await client.container(document.locator.attachment_id ?? '', signal)
    : nodeOfRef(document)
  const kind: PageKind = node?.type === 'blogpost' ? 'blogpost' : 'page'
  const [row] = node ? await client.pagesById([node.id], kind, signal) : []
  if (row && config.statuses.some((status) => status === row.status)) return row
  throw new AppError('document_gone', `${document.recordId} is no longer in the wiki`, {
    fix: 'The next run removes it from the index',
  })
}

/** Its current space, which may differ from the listed one. */
async function spaceOf(
  client: WikiClient,
  { page, key }: { page: PageInfo; key: string | undefined },
  signal: AbortSignal,
): Promise<Space> {
  for (const keys of [...(key ? [[key]] : []), null]) {
    for await (const spaces of client.spaces(keys, signal)) {
      const found = spaces.find(({ id }) => id === page.spaceId)
      if (found) return found
    }
  }
  throw new AppError('source_misread', `looking up page ${page.id}: the response has no space`)
}
