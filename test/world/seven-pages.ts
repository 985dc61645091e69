import { cast, type Name, names, pages, type Restricted, spaces, teams } from '../oracle/seven-pages.ts'
import type { Wiki } from './wiki/start.ts'

/** Creates the seven pages with their people in a simulated wiki; returns ids by title. */
export async function createSevenPages({ control }: Wiki): Promise<Map<string, string>> {
  const idOf = new Map<string, string>()
  for (const name of names) {
    const { id, kind } = cast[name]
    await control.addPerson({ accountId: id, name, accountType: kind === 'person' ? 'atlassian' : kind })
  }
  for (const [name, { id, members }] of Object.entries(teams)) {
    await control.addGroup({ id, name: `the ${name}`, members: members.map((each) => cast[each].id) })
  }
  for (const [key, grants] of Object.entries(spaces)) {
    const permissions = grants.flatMap(({ to, operations }) =>
      operations.map((text) => {
        const [operation = '', targetType = ''] = text.split('/')
        return { principal: principalOf(to), operation: { key: operation, targetType } }
      }),
    )
    await control.addSpace({ key, name: `Space ${key}`, permissions })
  }
  await control.setSpaceUsesRoles('ROLES', true)
  for (const page of pages) {
    const id = await control.createPage({
      space: page.space,
      title: page.title,
      body: `<p>This page is about ${page.title}, and what follows from it.</p>`,
      authorId: cast.Cem.id,
      ...(page.below ? { parentId: idOf.get(page.below)! } : {}),
    })
    idOf.set(page.title, id)
    await control.restrict(id, { read: listOf(page.read), update: listOf(page.update) })
  }
  return idOf
}

type Right = (typeof spaces)['SEVEN'][number]

function principalOf(to: Right['to']): { type: 'user' | 'group' | 'access-class'; id: string } {
  if ('class' in to) return { type: 'access-class', id: to.class }
  return 'team' in to ? { type: 'group', id: teams[to.team].id } : { type: 'user', id: cast[to.person].id }
}

function listOf({ people = [], teams: named = [] }: Restricted = {}) {
  return { users: people.map((name) => cast[name].id), groups: named.map((team) => teams[team].id) }
}

export type NamedList = { users: string[]; groups: string[]; access_classes?: string[] }

/** The people of a list of principals. */
export function namedIn(list: NamedList): Name[] {
  return names.filter((name) => {
    const ofTeams = Object.values(teams).filter(({ members }) => members.some((member) => member === name))
    return (
      list.users.includes(cast[name].id) ||
      ofTeams.some(({ id }) => list.groups.includes(id)) ||
      (cast[name].kind === 'person' && list.access_classes?.includes('all-licensed-users'))
    )
  })
}
