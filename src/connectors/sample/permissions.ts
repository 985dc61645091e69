import { clauses, flatten, satisfies } from '../../permissions/algebra.ts'
import type { Access } from '../../permissions/levels.ts'
import {
  ANONYMOUS,
  type AnyOf,
  AUTHENTICATED,
  anyOf,
  LICENSED,
  type Principals,
  siteNaming,
  toPrincipals,
  union,
} from '../../permissions/principals.ts'
import type { Level, LoadedDirectory, Operation } from '../source.ts'
import { SAMPLE_URL } from './config.ts'
import type { SampleFile, SamplePage, SampleSpace } from './file.ts'

export const SITE = new URL(SAMPLE_URL).host
/** Everyone in the sample has an account of their own. */
export const PERSON_CLASSES = [ANONYMOUS, AUTHENTICATED, LICENSED]

/** A page with its space, and the pages above it from the top down. */
export type PlacedPage = { page: SamplePage; space: SampleSpace; ancestors: SamplePage[] }

export function directoryOf({ people, groups }: SampleFile): LoadedDirectory {
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const members = new Map(groups.map((group) => [group.id, new Set(group.members)]))
  return {
    naming: siteNaming(SITE, 'global'),
    members: (group) => members.get(group),
    inClass: (user, name) => names.has(user) && PERSON_CLASSES.includes(name),
    isIgnored: () => false,
    isActive: (user) => names.has(user),
    names,
  }
}

export function accessOfPage(placed: PlacedPage, directory: LoadedDirectory): Access {
  const { page, space } = placed
  const levels = levelsOf(placed, directory)
  const who = (operation: Operation) => toPrincipals(flatten(levels[operation], directory).who)
  const restricted = [...placed.ancestors, page].filter(({ read }) => read)
  return {
    permissions: [{ read: who('read') }, { update: who('update') }, { delete: who('delete') }],
    clauses: clauses(levels.read, directory),
    levels: [
      { kind: 'space', id: space.id, title: space.name },
      ...restricted.map(({ id, title }) => ({ kind: 'page', id, title })),
    ],
    set: {
      site: SITE,
      scope: space.id,
      levels: restricted.map(({ id }) => id),
      own: { ...(page.update ? { update: page.id } : {}), owner: page.author },
    },
  }
}

export function mayDo(
  placed: PlacedPage,
  { user, operation }: { user: string; operation: Operation },
  directory: LoadedDirectory,
): boolean {
  return levelsOf(placed, directory)[operation].every((level) => satisfies(level, user, directory))
}

/** From the space down, for explanations. */
export function shownLevels({ page, space, ancestors }: PlacedPage): Level[] {
  const asOf = new Date()
  const restrictions = [...ancestors, page].map((each): Level => {
    const { id, title, read } = each
    return { level: each === page ? 'page' : 'ancestor', id, title, asOf, who: read ? toLevel(read) : null }
  })
  const { key, name, read } = space
  return [{ level: 'space', id: key, title: name, asOf, who: toLevel(read) }, ...restrictions]
}

/** Space permissions grant access; restrictions on a page or above it only remove. */
function levelsOf(
  { page, space, ancestors }: PlacedPage,
  directory: LoadedDirectory,
): Record<Operation, AnyOf[]> {
  const restrictions = [...ancestors, page].flatMap(({ read }) => (read ? [toLevel(read)] : []))
  const read = [toLevel(space.read), ...restrictions]
  const update = [...read, toLevel(space.edit), ...(page.update ? [toLevel(page.update)] : [])]
  const isOwner = satisfies(toLevel(space.removeOwn), page.author, directory)
  const remove = union(toLevel(space.remove), anyOf(isOwner ? [page.author] : []))
  return { read, update, delete: [...update, remove] }
}

function toLevel({ users, groups, access_classes: classes }: Principals): AnyOf {
  return anyOf(users, groups, classes)
}
