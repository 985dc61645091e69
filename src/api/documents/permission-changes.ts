import type { DocumentRef } from '../../document.ts'
import { siteOfRecord } from '../../record-id.ts'
import type { Database } from '../../store/database.ts'
import { titlesOf } from '../../store/ledger/known-documents.ts'
import { type ClauseLevel, clauseLevels } from '../search/clause-levels.ts'
import type { DocumentChanges } from '../shapes/document.ts'

/** Permissions of one version; without clauses no one could read it. */
export type VersionPermissions = { key: string; clauses: Record<string, string[]> }
type LevelChange = DocumentChanges['permissions'][number]
type PlacedDocument = Pick<DocumentRef, 'recordId' | 'title' | 'space' | 'ancestors' | 'position'>

const SPACE = ''

/** What changed at each level, from the space down. */
export function permissionChanges(
  document: PlacedDocument,
  { from, to }: { from: VersionPermissions; to: VersionPermissions },
): LevelChange[] {
  const [wasHidden, isHidden] = [isHiddenIn(from), isHiddenIn(to)]
  if (wasHidden && isHidden) return []
  const { recordId, title } = document
  const own = { level: 'page' as const, id: recordId.slice(recordId.lastIndexOf('/') + 1), title }
  if (wasHidden || isHidden)
    return [{ ...own, added: NO_ONE, removed: NO_ONE, restriction: isHidden ? 'hidden' : 'shown' }]
  const [before, after] = [byLevel(document, from), byLevel(document, to)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .flatMap((key): LevelChange[] => {
      const [old, now] = [before.get(key), after.get(key)]
      const added = difference(now, old)
      const removed = difference(old, now)
      if (old && now && added.length === 0 && removed.length === 0) return []
      const named = now ?? old
      // Other sources name their sets as they like.
      const { level, id, title: name } = named?.id ? { ...named, id: named.id } : own
      return [
        {
          level,
          id,
          title: name,
          added: principals(added),
          removed: principals(removed),
          restriction: old ? (now ? 'changed' : 'removed') : 'added',
        },
      ]
    })
    .toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
}

/** Levels that are no ancestors any more get the titles of their pages. */
export async function withTitles(
  db: Database,
  { workflowId, recordId }: { workflowId: string; recordId: string },
  changes: LevelChange[],
): Promise<LevelChange[]> {
  const recordOf = ({ id }: LevelChange) => `${siteOfRecord(recordId)}/${id}`
  const untitled = changes.filter(({ title }) => title === null).map(recordOf)
  const titles = await titlesOf(db, workflowId, untitled)
  return changes.map((each) => ({ ...each, title: each.title ?? titles.get(recordOf(each)) ?? null }))
}

const ORDER = ['space', 'ancestor', 'page']

function isHiddenIn({ clauses }: VersionPermissions): boolean {
  return clauses.c0 === undefined
}

/** By id of the level, or by clause if the ledger does not name the level. */
function byLevel(ref: PlacedDocument, { key: set, clauses }: VersionPermissions): Map<string, ClauseLevel> {
  const levels = clauseLevels({ set, ref, clauses, recordId: ref.recordId })
  return new Map(levels.map((each, at) => [each.level === 'space' ? SPACE : (each.id ?? `c${at}`), each]))
}

function difference(of: ClauseLevel | undefined, other: ClauseLevel | undefined): string[] {
  const known = new Set(other?.entries)
  return (of?.entries ?? []).filter((token) => !known.has(token))
}

/** A scope can name thousands. */
const MAX_NAMED = 200

function principals(tokens: string[]): LevelChange['added'] {
  const shown = tokens.slice(0, MAX_NAMED)
  const named = (kind: string) =>
    shown.filter((token) => token.startsWith(`${kind}:`)).map((token) => token.slice(kind.length + 1))
  return {
    users: named('user'),
    groups: named('group'),
    classes: named('class'),
    more: tokens.length - shown.length,
  }
}

const NO_ONE: LevelChange['added'] = { users: [], groups: [], classes: [], more: 0 }
