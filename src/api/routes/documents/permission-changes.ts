import {
  ownLevel,
  type PlacedDocument,
  type RestrictedLevel,
  restrictedLevels,
  type StoredLevel,
} from '../../../permissions/levels.ts'
import { principalIds } from '../../../permissions/principals.ts'
import type { DocumentChanges } from '../../shapes/document.ts'

/** Permissions of one version; without levels no one could read it. */
export type VersionPermissions = { levels: StoredLevel[] }
type LevelChange = DocumentChanges['permissions'][number]

const SPACE = ''

/** What changed at each level, from the space down. */
export function permissionChanges(
  document: PlacedDocument,
  { from, to }: { from: VersionPermissions; to: VersionPermissions },
): LevelChange[] {
  const [wasHidden, isHidden] = [isHiddenIn(from), isHiddenIn(to)]
  if (wasHidden && isHidden) return []
  const own = ownLevel(document)
  if (wasHidden || isHidden)
    return [{ ...own, added: NO_ONE, removed: NO_ONE, restriction: isHidden ? 'hidden' : 'shown' }]
  const [before, after] = [byLevel(document, from), byLevel(document, to)]
  return [...new Set([...before.keys(), ...after.keys()])]
    .flatMap((key): LevelChange[] => {
      const [old, now] = [before.get(key), after.get(key)]
      const added = tokensOnlyIn(now, old)
      const removed = tokensOnlyIn(old, now)
      if (old && now && added.length === 0 && removed.length === 0) return []
      const named = now ?? old
      // Other sources name their sets as they like.
      const { level, id, title } = named?.id ? { ...named, id: named.id } : own
      return [
        {
          level,
          id,
          title,
          added: principals(added),
          removed: principals(removed),
          restriction: old ? (now ? 'changed' : 'removed') : 'added',
        },
      ]
    })
    .toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
}

const ORDER = ['space', 'ancestor', 'page']

function isHiddenIn({ levels }: VersionPermissions): boolean {
  return levels.length === 0
}

/** By id of the level, or by its place if it cannot be named. Of several lists, a reader needs all. */
function byLevel(document: PlacedDocument, { levels }: VersionPermissions): Map<string, RestrictedLevel> {
  const found = new Map<string, RestrictedLevel>()
  for (const [at, each] of restrictedLevels(levels, document).entries()) {
    const key = each.level === 'space' ? SPACE : (each.id ?? `at ${at}`)
    const known = found.get(key)
    found.set(key, known ? { ...each, who: known.who.filter((token) => each.who.includes(token)) } : each)
  }
  return found
}

function tokensOnlyIn(of: RestrictedLevel | undefined, other: RestrictedLevel | undefined): string[] {
  const known = new Set(other?.who)
  return (of?.who ?? []).filter((token) => !known.has(token))
}

/** A scope can name thousands. */
const MAX_NAMED = 200

function principals(tokens: string[]): LevelChange['added'] {
  const shown = tokens.slice(0, MAX_NAMED)
  return { ...principalIds(shown, ''), more: tokens.length - shown.length }
}

const NO_ONE: LevelChange['added'] = { users: [], groups: [], classes: [], more: 0 }
