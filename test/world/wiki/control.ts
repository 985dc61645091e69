import type { AccountName } from './accounts.ts'
import { bodyCommands } from './control-body.ts'
import { commentCommands } from './control-comments.ts'
import { contentCommands } from './control-content.ts'
import { truthCommands } from './control-truth.ts'
import type { Counters } from './counters.ts'
import type { Fault, Faults } from './faults.ts'
import { findNode, findSpace, missing } from './find.ts'
import * as edits from './model/edits.ts'
import type { ApiAccount, Group, RestrictionList, SpacePermission, World } from './model/model.ts'
import { addGroup, addPerson, changePerson, type PersonChange } from './model/people.ts'
import type { Settings } from './model/settings.ts'
import type { Declared } from './spec/declared.ts'

/** Every control of the wiki, reachable as `POST /__control/{name}` with a JSON array of arguments. */
export function createCommands(
  world: World,
  { counters, faults, declared }: { counters: Counters; faults: Faults; declared: Declared },
) {
  const space = (key: string) => findSpace(world, key)
  const group = (name: string): Group =>
    [...world.groups.values()].find((each) => each.name === name || each.id === name) ??
    missing('group', name)
  const account = (name: AccountName): ApiAccount =>
    world.accounts.find((each) => each.name === name) ?? missing('account', name)
  return {
    ...bodyCommands(world),
    ...contentCommands(world),
    ...commentCommands(world),
    ...truthCommands(world),

    // Faults, speed, counting
    fail: (fault: Fault): number => faults.add(fault),
    clearFaults: (): void => faults.clear(),
    releaseHeld: (): void => faults.release(),
    faults: () => faults.list(),
    counts: () => counters.counts(),
    requests: () => counters.recent(),
    /** Requests that no document of the vendor declares, and requests by declared operation. */
    refusals: () => declared.refusals(),
    operations: () => declared.operations(),
    /** Also of refusals and operations. */
    resetCounts: (): void => {
      counters.reset()
      declared.reset()
    },
    set: (settings: Partial<Settings>): Settings => Object.assign(world.settings, settings),

    // Permissions
    restrict: (
      id: string,
      restrictions: { read?: Partial<RestrictionList>; update?: Partial<RestrictionList> },
    ): void => {
      const found = findNode(world, id)
      for (const operation of ['read', 'update'] as const) {
        const list = restrictions[operation]
        if (list !== undefined)
          found.restrictions[operation] = { users: list.users ?? [], groups: list.groups ?? [] }
      }
      found.changed = ++world.changes
    },
    setSpacePermissions: (key: string, permissions: SpacePermission[]): void => {
      space(key).permissions = permissions
    },
    setSpaceUsesRoles: (key: string, usesRoles: boolean): void => {
      space(key).usesRoles = usesRoles
    },
    addSpace: (input: {
      key: string
      name: string
      permissions: SpacePermission[]
      type?: 'global' | 'personal'
      status?: 'current' | 'archived'
    }): { id: string; homepageId: string } => {
      const authorId = account('crawler').accountId
      const found = edits.addSpace(world, { ...input, authorId })
      const home = edits.addNode(world, {
        spaceId: found.id,
        parentId: null,
        title: `${input.name} Home`,
        authorId,
        body: { storage: '<p>Welcome.</p>' },
      })
      found.homepageId = home.id
      return { id: found.id, homepageId: home.id }
    },
    setSpaceStatus: (key: string, status: 'current' | 'archived'): void => {
      space(key).status = status
    },
    renameSpace: (key: string, name: string): void => {
      space(key).name = name
    },
    deleteSpace: (key: string): void => edits.removeSpace(world, space(key)),
    addPerson: (person: { accountId: string; name: string } & PersonChange): void => {
      // Customers of a help desk have no access to the product; installed apps do.
      addPerson(world, { licensed: person.accountType !== 'customer', ...person })
    },
    /** `licensed` and `guest` also decide about the group `confluence-users`. */
    setPerson: (accountId: string, change: PersonChange): void =>
      changePerson(world, world.people.get(accountId) ?? missing('person', accountId), change),
    addGroup: (input: { id: string; name: string; members?: string[] }): void => void addGroup(world, input),
    addMember: (name: string, accountId: string): void => void group(name).members.add(accountId),
    removeMember: (name: string, accountId: string): boolean => group(name).members.delete(accountId),
    deleteGroup: (name: string): void => {
      group(name).deleted = true
    },

    // Callers
    setAccount: (
      name: AccountName,
      change: {
        seesAll?: boolean
        expired?: boolean
        forbidden?: boolean
        admin?: boolean
        mayCheck?: boolean
        hiddenRoleMode?: boolean
        timeZoneMinutes?: number
        scopes?: string[] | null
        hiddenSpaces?: string[]
        hiddenNodes?: string[]
      },
    ): void => {
      const { scopes, hiddenSpaces, hiddenNodes, ...rest } = change
      const found = Object.assign(account(name), rest)
      if (scopes !== undefined) found.scopes = scopes === null ? null : new Set(scopes)
      if (hiddenSpaces !== undefined) found.hiddenSpaces = new Set(hiddenSpaces.map((key) => space(key).id))
      if (hiddenNodes !== undefined) found.hiddenNodes = new Set(hiddenNodes)
    },
    /** Freezes the search index: it misses later changes. */
    holdSearch: (): void => {
      world.settings.searchKnows = world.changes
    },
    releaseSearch: (): void => {
      world.settings.searchKnows = null
    },
  }
}

export type Commands = ReturnType<typeof createCommands>

export function runCommand(commands: Commands, name: string, body: string): unknown {
  const command = (commands as Record<string, ((...args: never[]) => unknown) | undefined>)[name]
  if (command === undefined) throw new Error(`there is no control named ${name}`)
  return command(...(JSON.parse(body === '' ? '[]' : body) as never[])) ?? null
}
