import { canDelete, canRead, canUpdate } from './access/truth.ts'
import { sizeOf } from './model/file-body.ts'
import { contentById, type NodeKind, pageOf, type SiteName, type World } from './model/model.ts'

/** The actual state, for tests to compare with. */
export function truthCommands(world: World) {
  // Attachments and comments have the permissions of their page.
  const pageIdOf = (id: string): string => {
    const content = contentById(world, id)
    return (content && pageOf(world, content)?.id) ?? id
  }
  return {
    truth: () => ({
      /** Blog posts and folders too; `kind` distinguishes them. */
      pages: [...world.nodes.values()].map(({ body: _, version, ...rest }) => ({
        ...rest,
        version: version.number,
        modifiedAt: version.when,
        spaceKey: world.spaces.get(rest.spaceId)?.key ?? '',
      })),
      spaces: [...world.spaces.values()],
      people: [...world.people.values()],
      groups: [...world.groups.values()].map((each) => ({ ...each, members: [...each.members] })),
      attachments: [...world.attachments.values()].map(({ bytes, older: _, version, ...rest }) => ({
        ...rest,
        version: version.number,
        modifiedAt: version.when,
        size: sizeOf(bytes),
      })),
      comments: [...world.comments.values()].map(({ body, version, ...rest }) => ({
        ...rest,
        storage: body.storage,
        version: version.number,
        modifiedAt: version.when,
      })),
      shapes: world.shapes,
      /** By account: pages that it does not see, apart from what its person may not read. */
      hiddenNodes: Object.fromEntries(
        world.accounts.map(({ name, hiddenNodes }) => [name, [...hiddenNodes]] as const),
      ),
    }),
    canRead: (accountId: string, id: string, site: SiteName = 'cloud'): boolean =>
      canRead(world, accountId, pageIdOf(id), site),
    canUpdate: (accountId: string, pageId: string, site: SiteName = 'cloud'): boolean =>
      canUpdate(world, accountId, pageId, site),
    canDelete: (accountId: string, pageId: string, site: SiteName = 'cloud'): boolean =>
      canDelete(world, accountId, pageId, site),
    /** The readers of every page in one call. */
    readers: (site: SiteName = 'cloud', kinds: NodeKind[] = ['page']): Record<string, string[]> => {
      const people = [...world.people.keys()]
      const nodes = [...world.nodes.values()].filter((each) => kinds.includes(each.kind))
      return Object.fromEntries(
        nodes.map(({ id }) => [id, people.filter((person) => canRead(world, person, id, site))]),
      )
    },
  }
}
