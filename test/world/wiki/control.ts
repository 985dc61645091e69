import type { AccountName } from './accounts.ts'
import type { Counters } from './counters.ts'
import * as edits from './edits.ts'
import type { Fault, Faults } from './faults.ts'
import type {
  Account,
  Body,
  Group,
  Node,
  Principals,
  Settings,
  SiteName,
  Space,
  SpacePermission,
  World,
} from './model.ts'
import { addGroup, addPerson } from './people.ts'
import { canDelete, canRead, canUpdate } from './truth.ts'

/**
 * Everything a test can do to the wiki and learn from it. Each function is reachable as
 * `POST /__control/{name}` with its arguments as a JSON array, and typed in `Wiki.control`.
 */
export function createCommands(world: World, counters: Counters, faults: Faults) {
  const node = (id: string): Node => world.nodes.get(id) ?? missing('content', id)
  const space = (key: string): Space =>
    [...world.spaces.values()].find((each) => each.key === key || each.id === key) ?? missing('space', key)
  const group = (name: string): Group =>
    [...world.groups.values()].find((each) => each.name === name || each.id === name) ??
    missing('group', name)
  const account = (name: AccountName): Account =>
    world.accounts.find((each) => each.name === name) ?? missing('account', name)
  const changed = (each: Node) => {
    each.changed = ++world.changes
  }
  return {
    // Faults, speed, counting
    fail: (fault: Fault): number => faults.add(fault),
    clearFaults: (): void => faults.clear(),
    faults: () => faults.list(),
    counts: () => counters.counts(),
    requests: () => counters.recent(),
    resetCounts: (): void => counters.reset(),
    set: (settings: Partial<Settings>): Settings => Object.assign(world.settings, settings),

    // Content
    createPage: (made: {
      space: string
      title: string
      view?: string
      storage?: string
      parentId?: string | null
      labels?: string[]
      kind?: 'page' | 'folder' | 'blogpost'
      status?: Node['status']
      authorId?: string
      when?: string
    }): string => {
      const { id, homepageId, authorId } = space(made.space)
      const body = bodyOf(made.view ?? `<p>${made.title}</p>`, made.storage)
      const parentId = made.parentId === undefined ? homepageId : made.parentId
      const { title, labels = [], kind = 'page', status = 'current' } = made
      const when = made.when === undefined ? {} : { createdAt: made.when }
      return edits.addNode(world, {
        spaceId: id,
        parentId,
        title,
        body,
        labels,
        kind,
        status,
        authorId: made.authorId ?? authorId,
        ...when,
      }).id
    },
    editPage: (
      id: string,
      change: { title?: string; view?: string; storage?: string; when?: string },
    ): void => {
      const { view, storage, ...rest } = change
      const body =
        view === undefined && storage === undefined
          ? {}
          : { body: bodyOf(view ?? node(id).body.view, storage) }
      edits.editNode(world, node(id), { ...rest, ...body })
    },
    /** A body of this many bytes of real paragraphs. */
    setBigBody: (id: string, bytes: number): void => {
      const piece = '<p>A very long page repeats itself, and every reader has to live with that.</p>\n'
      edits.editNode(world, node(id), {
        body: bodyOf(piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes)),
      })
    },
    /** A body that is no HTML at all: control characters, broken tags, unpaired surrogates. */
    setBinaryBody: (id: string): void => {
      const noise = Array.from({ length: 4000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join('')
      edits.editNode(world, node(id), { body: bodyOf(`PK\u0003\u0004${noise}\ud800<\u0000<<p </`) })
    },
    movePage: (id: string, parentId: string | null): void => edits.moveNode(world, node(id), parentId),
    trashPage: (id: string): void => edits.setStatus(world, node(id), 'trashed'),
    restorePage: (id: string): void => edits.setStatus(world, node(id), 'current'),
    archivePage: (id: string): void => edits.setStatus(world, node(id), 'archived'),
    deletePage: (id: string): void => edits.purgeNode(world, node(id)),
    labelPage: (id: string, labels: string[]): void => {
      node(id).labels = labels
      changed(node(id))
    },
    attach: (
      pageId: string,
      file: { title: string; mediaType: string; base64: string; broken?: 'no' | 'missing' | 'corrupt' },
    ): string =>
      edits.addAttachment(world, {
        pageId: node(pageId).id,
        title: file.title,
        mediaType: file.mediaType,
        bytes: Buffer.from(file.base64, 'base64'),
        authorId: node(pageId).authorId,
        broken: file.broken ?? 'no',
      }).id,
    removeAttachment: (id: string): boolean => world.attachments.delete(id),

    // Rights
    restrict: (
      id: string,
      restrictions: { read?: Partial<Principals>; update?: Partial<Principals> },
    ): void => {
      const found = node(id)
      for (const operation of ['read', 'update'] as const) {
        const list = restrictions[operation]
        if (list !== undefined)
          found.restrictions[operation] = { users: list.users ?? [], groups: list.groups ?? [] }
      }
      changed(found)
    },
    setSpacePermissions: (key: string, permissions: SpacePermission[]): void => {
      space(key).permissions = permissions
    },
    setSpaceUsesRoles: (key: string, usesRoles: boolean): void => {
      space(key).usesRoles = usesRoles
    },
    addSpace: (made: {
      key: string
      name: string
      permissions: SpacePermission[]
      type?: 'global' | 'personal'
      status?: 'current' | 'archived'
    }): { id: string; homepageId: string } => {
      const authorId = account('crawler').accountId
      const found = edits.addSpace(world, { ...made, authorId })
      const home = edits.addNode(world, {
        spaceId: found.id,
        parentId: null,
        title: `${made.name} Home`,
        authorId,
        body: bodyOf('<p>Welcome.</p>'),
      })
      found.homepageId = home.id
      return { id: found.id, homepageId: home.id }
    },
    setSpaceStatus: (key: string, status: 'current' | 'archived'): void => {
      space(key).status = status
    },
    deleteSpace: (key: string): void => edits.removeSpace(world, space(key)),
    addPerson: (person: {
      accountId: string
      name: string
      accountType?: 'atlassian' | 'app' | 'customer'
    }): void =>
      void addPerson(world, { ...person, licensed: (person.accountType ?? 'atlassian') === 'atlassian' }),
    addGroup: (made: { id: string; name: string; members?: string[] }): void => void addGroup(world, made),
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
        forbidden?: boolean
        admin?: boolean
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
    /** Search knows nothing that changes from here on. */
    holdSearch: (): void => {
      world.settings.searchKnows = world.changes
    },
    releaseSearch: (): void => {
      world.settings.searchKnows = null
    },

    // Truth
    truth: () => ({
      pages: [...world.nodes.values()].map(({ body: _, version, ...rest }) => ({
        ...rest,
        version: version.number,
        modifiedAt: version.when,
        spaceKey: world.spaces.get(rest.spaceId)?.key ?? '',
      })),
      spaces: [...world.spaces.values()],
      people: [...world.people.values()],
      groups: [...world.groups.values()].map((each) => ({ ...each, members: [...each.members] })),
      attachments: [...world.attachments.values()].map(({ bytes, ...rest }) => ({
        ...rest,
        size: bytes.length,
      })),
      shapes: world.shapes,
    }),
    body: (id: string): { view: string; storage: string } => ({
      view: node(id).body.view,
      storage: node(id).body.storage,
    }),
    canRead: (accountId: string, pageId: string, site: SiteName = 'cloud'): boolean =>
      canRead(world, accountId, pageId, site),
    canUpdate: (accountId: string, pageId: string, site: SiteName = 'cloud'): boolean =>
      canUpdate(world, accountId, pageId, site),
    canDelete: (accountId: string, pageId: string, site: SiteName = 'cloud'): boolean =>
      canDelete(world, accountId, pageId, site),
    /** For every page the account ids that may read it: one call instead of people × pages. */
    readers: (site: SiteName = 'cloud'): Record<string, string[]> => {
      const people = [...world.people.keys()]
      const pages = [...world.nodes.values()].filter((each) => each.kind === 'page')
      return Object.fromEntries(
        pages.map(({ id }) => [id, people.filter((person) => canRead(world, person, id, site))]),
      )
    },
  }
}

export type Commands = ReturnType<typeof createCommands>

export function runCommand(commands: Commands, name: string, body: string): unknown {
  const command = (commands as Record<string, ((...args: never[]) => unknown) | undefined>)[name]
  if (command === undefined) throw new Error(`there is no control named ${name}`)
  return command(...(JSON.parse(body === '' ? '[]' : body) as never[])) ?? null
}

const bodyOf = (view: string, storage = view): Body => ({ view, storage })

function missing(what: string, id: string): never {
  throw new Error(`there is no ${what} ${id}`)
}
