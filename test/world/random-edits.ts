import { ALL_PEOPLE, onlyFor } from './small-world.ts'
import type { World } from './world.ts'

/** A word of every page that an edit writes. */
export const PLANTED = 'quagga'
/** A space that comes and goes, always with this key. */
const CYCLED = 'CYC'

/** `after` is called after each edit. */
export type RandomEdits = { random: () => number; times: number | 'one of each'; after?: () => Promise<void> }

/** Makes random edits, or one of each kind, and returns them. */
export async function editAtRandom(
  { wiki: { control } }: Pick<World, 'wiki'>,
  { random, times, after = async () => {} }: RandomEdits,
): Promise<string[]> {
  const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
  const done: string[] = []
  for (let count = 0, until = times; until === 'one of each' || count < until; count++) {
    const truth = await control.truth()
    const spaces = truth.spaces.filter((space) => space.status === 'current')
    const keys = new Set(spaces.map((space) => space.key))
    const hidden = [...(truth.hiddenNodes.crawler ?? [])]
    const currentPages = truth.pages.filter(
      (page) => page.kind === 'page' && keys.has(page.spaceKey) && !hidden.includes(page.id),
    )
    const pages = currentPages.filter((page) => page.status === 'current')
    const people = truth.people.filter((person) => person.accountType === 'atlassian' && person.active)
    const person = () => pick(people).accountId
    const group = pick(truth.groups.filter((each) => !each.deleted))
    const page = pick(pages)
    const isBelow = (id: string | null): boolean =>
      id !== null && (id === page.id || isBelow(truth.pages.find((each) => each.id === id)?.parentId ?? null))
    const moveTo = async (parents: typeof pages) => {
      const parent = pick(parents.filter(({ id }) => !isBelow(id)))
      if (page.parentId !== null && parent) await control.movePage(page.id, parent.id)
    }
    const rewrite = (words: number) =>
      control.editPage(page.id, {
        body: `<h2>T</h2><p>${PLANTED} ${random()}</p><p>${'word '.repeat(words)}</p>`,
      })
    const somePermissions = () => (random() < 0.5 ? ALL_PEOPLE : onlyFor(person()))
    const deleteCycled = async () => {
      if (keys.has(CYCLED)) await control.deleteSpace(CYCLED)
    }
    const edits: Record<string, () => Promise<unknown>> = {
      edit: () => rewrite(random() * 500),
      grow: () => rewrite(900),
      shrink: () => control.editPage(page.id, { body: `<p>${PLANTED}</p>` }),
      retitle: () => control.editPage(page.id, { title: `Title ${random()}` }),
      restrictToPeople: () => control.restrict(page.id, { read: { users: [person(), person()] } }),
      restrictToGroup: () => control.restrict(page.id, { read: { groups: [group.id] } }),
      open: () => control.restrict(page.id, { read: {} }),
      moveWithin: () => moveTo(pages.filter((each) => each.spaceKey === page.spaceKey)),
      moveOut: () => moveTo(pages.filter((each) => each.spaceKey !== page.spaceKey)),
      trash: async () => {
        if (page.parentId !== null) await control.trashPage(page.id)
      },
      restore: async () => {
        const back = pick(
          currentPages.filter(
            ({ status, parentId }) => status === 'trashed' && pages.some(({ id }) => id === parentId),
          ),
        )
        if (back) await control.restorePage(back.id)
      },
      create: () =>
        control.createPage({
          space: pick(spaces).key,
          title: `New ${random()}`,
          body: `<p>${PLANTED}</p>`,
        }),
      // Only of a page without children: the wiki would restrict those too.
      restrictFromCrawler: async () => {
        const isParent = truth.pages.some(({ parentId }) => parentId === page.id)
        if (!isParent && page.parentId !== null)
          await control.setAccount('crawler', { hiddenNodes: [...hidden, page.id] })
      },
      showToCrawler: async () => {
        const back = pick(hidden)
        await control.setAccount('crawler', { hiddenNodes: hidden.filter((id) => id !== back) })
      },
      join: () => control.addMember(group.name, person()),
      leave: async () => {
        if (group.members.length > 1) await control.removeMember(group.name, pick(group.members))
      },
      space: async () => {
        if (times === 'one of each' || random() < 0.3)
          await control.setSpacePermissions(pick(spaces).key, somePermissions())
      },
      deleteSpace: deleteCycled,
      recreateSpace: async () => {
        await deleteCycled()
        await control.addSpace({ key: CYCLED, name: 'Comes and goes', permissions: somePermissions() })
        for (const title of ['One', 'Two', 'Three'])
          await control.createPage({ space: CYCLED, title, body: `<p>${PLANTED} ${random()}</p>` })
      },
      renameSpace: () => control.renameSpace(pick(spaces).key, `Space ${random()}`),
      label: () => control.labelPage(page.id, [`l${Math.floor(random() * 5)}`]),
    }
    const kinds = Object.keys(edits)
    if (until === 'one of each') until = kinds.length
    const what = times === 'one of each' ? (kinds[count] as string) : pick(kinds)
    await edits[what]?.()
    await after()
    done.push(`${what} ${page.id}`)
  }
  return done
}

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
