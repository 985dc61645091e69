import { type AnyOf, either } from '../../../access.ts'
import { AppError } from '../../../errors.ts'
import type { Level } from '../../connector.ts'
import type { PageInfo, PageKind, Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { loadAncestors, loadMetadata, type SpaceMetadata } from '../listing/page-metadata.ts'
import { isFile, nodeOfRef } from '../listing/refs.ts'
import { type Decision, decideAncestors } from './ancestors.ts'
import { createDirectory } from './directory.ts'
import { lineagesOf, spacePermissionsOf } from './page-access.ts'
import type { NodeRef, TreeNode } from './tree.ts'

type Asking = { client: WikiClient; config: WikiConfig }
type Known = { recordId: string; locator: Record<string, string> }

/**
 * What stands between a person and a page, one level after the other, by the same reading as a listing's: the space,
 * everything above the page, and the page itself. A file has its page's.
 */
export async function levelsOf(asking: Asking, known: Known, signal: AbortSignal): Promise<Level[]> {
  const { client } = asking
  const page = await pageOf(asking, known, signal)
  const space = await spaceOf(client, { page, key: known.locator.space_key }, signal)
  const directory = createDirectory(client)
  const unprovedAncestors = asking.config.unproved_ancestors
  const ground = { client, directory, roles: client.roles(signal), files: false, unprovedAncestors }
  ground.roles.catch(() => {})
  const asOf = new Date()
  const [rights, above] = await Promise.all([
    spacePermissionsOf(ground, space, signal),
    loadAncestors(client, { space, rows: [page] }, signal),
  ])
  const marked = await loadMetadata(ground, { pages: [page], above }, signal)
  const nodes = new Map<string, TreeNode>([page, ...above].map((node) => [node.id, node]))
  const lineageOf = lineagesOf(nodes, marked)
  const listed =
    typeof rights === 'string' ? null : { space, rows: [page], nodes, read: rights.read, lineageOf }
  const decisions = listed ? await decideAncestors(ground, listed, signal) : null
  const decision = decisions?.get(lineageOf(page.id))
  // Whoever no restriction stops passes every level that is known.
  const passing = (who: AnyOf) => (typeof rights === 'string' ? who : either(who, rights.overseers))
  const first: Level = {
    level: 'space',
    id: space.key,
    title: space.name,
    asOf,
    ...(typeof rights === 'string' ? { unread: rights } : { who: passing(rights.read) }),
  }
  const restrictions = wayTo(nodes, page.id).map(
    (node): Level => ({
      level: node.id === page.id ? 'page' : 'ancestor',
      id: node.id,
      title: node.title,
      asOf,
      ...(decision?.node === node.id ? decidedRule(decision, passing) : ruleOf(node, marked, passing)),
    }),
  )
  return [first, ...restrictions]
}

type Rule = { who: AnyOf | null } | { unread: string }

function ruleOf(
  node: TreeNode,
  { restrictions, unread }: SpaceMetadata,
  passing: (who: AnyOf) => AnyOf,
): Rule {
  const why = node.lost ?? unread.get(node.id)
  if (why) return { unread: why }
  const read = restrictions.get(node.id)?.read
  return { who: read ? passing(read) : null }
}

/** Of all undecided nodes above the page; the rule is shown at the lowest. */
function decidedRule({ level, unproved }: Decision, passing: (who: AnyOf) => AnyOf): Rule {
  if (!level) return { who: null }
  const isNobody = level.users.size + level.groups.size + level.classes.size === 0
  return unproved && isNobody ? { unread: unproved } : { who: passing(level) }
}

/** From the top downwards to the page. What is missed on the way stands there as such. */
function wayTo(nodes: ReadonlyMap<string, TreeNode>, pageId: string): TreeNode[] {
  const way: TreeNode[] = []
  const passed = new Set<string>()
  for (let at: NodeRef | null = { id: pageId, type: 'page' }; at; ) {
    const { id, type }: NodeRef = at
    const isCircle = passed.has(id)
    const node: TreeNode | undefined = isCircle ? undefined : nodes.get(id)
    const why = isCircle
      ? `the pages above ${pageId} go round in circles`
      : `the ${type} ${id} could not be read`
    way.unshift(node ?? { id, title: '', parent: null, lost: why })
    passed.add(id)
    at = node?.parent ?? null
  }
  return way
}

async function pageOf({ client, config }: Asking, known: Known, signal: AbortSignal): Promise<PageInfo> {
  const place = isFile(known)
    ? await client.container(known.locator.attachment_id ?? '', signal)
    : nodeOfRef(known)
  const kind: PageKind = place?.type === 'blogpost' ? 'blogpost' : 'page'
  const [row] = place ? await client.pagesById([place.id], kind, signal) : []
  if (row && config.statuses.some((meant) => meant === row.status)) return row
  throw new AppError('document_gone', `${known.recordId} is no longer in the wiki`, {
    fix: 'The next run removes it from the index',
  })
}

/** Where the page is now, which may not be where it was when it was listed. */
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
  throw new AppError('source_misread', `the wiki does not say which space page ${page.id} is in`)
}
