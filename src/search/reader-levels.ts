import { type RestrictedLevel, restrictedLevels } from '../permissions/levels.ts'
import {
  ANONYMOUS,
  type AnyOf,
  AUTHENTICATED,
  anyOf,
  LICENSED,
  principalIds,
} from '../permissions/principals.ts'
import type { DocumentLevels } from '../store/ledger/document-levels.ts'

/** A level with what it names, under the source's own ids. */
export type ReaderLevel = Omit<RestrictedLevel, 'who'> & { who: AnyOf }

/** The levels of all ledgers: a reader has to pass them all. */
export function readerLevels(ledgers: DocumentLevels[], site: string): ReaderLevel[] {
  const all = ledgers.flatMap((ledger) =>
    restrictedLevels(ledger.levels, ledger.ref).map(({ who, ...level }) => {
      const { users, groups, classes } = principalIds(who, site)
      return { ...level, who: anyOf(users, groups, classes) }
    }),
  )
  const keyOf = ({ who, ...level }: ReaderLevel) =>
    JSON.stringify([level, [...who.users].sort(), [...who.groups].sort(), [...who.classes].sort()])
  return [...new Map(all.map((level) => [keyOf(level), level])).values()]
}

/** Broadest first: each class contains the next. */
const CLASSES = [ANONYMOUS, AUTHENTICATED, LICENSED]

/** The broadest class that passes every level. */
export function commonClass(levels: ReaderLevel[]): string | null {
  const covers = ({ who }: ReaderLevel, at: number) =>
    CLASSES.slice(0, at + 1).some((name) => who.classes.has(name))
  return CLASSES.find((_, at) => levels.length > 0 && levels.every((level) => covers(level, at))) ?? null
}

/** Every reader outside the common class is named by this level: it lets no broader class pass. */
export function narrowestLevel(levels: ReaderLevel[], common: string | null): ReaderLevel | undefined {
  const broader = common === null ? CLASSES : CLASSES.slice(0, CLASSES.indexOf(common))
  const naming = levels.filter(({ who }) => !broader.some((name) => who.classes.has(name)))
  // A group has more members than a list names people.
  const sizeOf = ({ who }: ReaderLevel) => who.groups.size * 100 + who.users.size
  return naming.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0]
}

/** A class whose members no source lists. */
export function unknownClass({ who }: ReaderLevel): string | null {
  return [...who.classes].find((name) => !CLASSES.includes(name)) ?? null
}
