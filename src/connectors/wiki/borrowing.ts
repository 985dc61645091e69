import type { Access } from '../../access.ts'
import { ANONYMOUS } from '../../access.ts'
import type { DocumentRef } from '../../document.ts'
import type { Place, Space, WikiClient } from './client.ts'
import { createDirectory, unlessTheJobEnds } from './directory.ts'
import { standIn } from './standing.ts'

/** The other page, where everybody who may read a document may read that too, so that it may show something of it. */
export type Borrowing = (ref: DocumentRef, pageId: string, signal: AbortSignal) => Promise<Place | null>

/** What was found out is believed for this long; a page's rights are carried by the next run in any case. */
const BELIEVED_MS = 10 * 60_000

export function createBorrowing(client: WikiClient, now: () => number = Date.now): Borrowing {
  const known = new Map<string, { lender: Promise<Lender | undefined>; until: number }>()

  return async (ref, pageId, signal) => {
    const before = known.get(pageId)
    const asked = before && before.until > now() ? before.lender : lenderOf(client, pageId, signal)
    if (asked !== before?.lender) known.set(pageId, { lender: asked, until: now() + BELIEVED_MS })
    asked.catch(() => known.delete(pageId))
    const lender = await asked
    return lender && !lender.access.unproved && covers(lender.access, ref.access) ? lender.place : null
  }
}

type Lender = { place: Place; access: Access }

/**
 * Every level of the lender has to let pass whoever some level of the borrower lets pass. This looks at names and not
 * at people: where it says no, people may still be the same, and nothing is shown that might not be seen.
 */
function covers(lender: Access, borrower: Access): boolean {
  const levels = Object.values(borrower.clauses).map((entries) => new Set(entries))
  return Object.values(lender.clauses).every((entries) => {
    const wide = new Set(entries)
    return wide.has(`class:${ANONYMOUS}`) || levels.some((narrow) => narrow.isSubsetOf(wide))
  })
}

/** Undefined where it is not there or cannot be proved who may read it. */
async function lenderOf(
  client: WikiClient,
  pageId: string,
  signal: AbortSignal,
): Promise<Lender | undefined> {
  const find = (type: 'page' | 'blogpost') =>
    client.node({ id: pageId, type }, signal).catch(unlessTheJobEnds)
  const row = (await find('page')) ?? (await find('blogpost'))
  if (row?.status !== 'current') return undefined
  const space = await spaceOf(client, row.spaceId, signal)
  if (!space) return undefined
  const ground = {
    client,
    directory: createDirectory(client),
    roles: client.roles(signal),
    files: false,
    unprovedAncestors: 'hide' as const,
  }
  ground.roles.catch(() => {})
  const stood = await standIn(ground, { space, rows: [row] }, signal)
  return { place: { id: row.id, type: row.kind }, access: stood.access(row) }
}

async function spaceOf(
  client: WikiClient,
  id: string | null,
  signal: AbortSignal,
): Promise<Space | undefined> {
  for await (const spaces of client.spaces(null, signal)) {
    const found = spaces.find((space) => space.id === id)
    if (found) return found
  }
  return undefined
}
