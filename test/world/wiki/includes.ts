import { foreignMacros, ownMacros } from './include-macros.ts'
import type { ContentNode, World } from './model/model.ts'
import { isRestricted } from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'
import { excerpt, excerptInclude, include, macro, taskList } from './storage-words.ts'

/** A word that only the text of this page has. */
export const codeWord = (id: string): string => `zq${id}`

/** What macros may refer to. */
export interface Targets {
  world: World
  random: Random
  page: ContentNode
  /** A page to include: near, of another space, restricted, gone or missing. */
  other: () => { title: string; spaceKey: string | undefined }
}

/** Adds own macros with a code word, and includes and reports of other pages, in chains and cycles. */
export function addIncludes(world: World, seed: number): void {
  const random = createRandom(seed ^ 0x1dea)
  const pages = [...world.nodes.values()].filter(
    ({ kind, status }) => kind !== 'folder' && status === 'current',
  )
  for (const page of pages) append(page, [sharedParts(page)])
  for (const page of pages) {
    const targets: Targets = { world, random, page, other: () => pickOther(world, random, page) }
    const found: string[] = []
    if (random.chance(0.5)) found.push(random.pick(ownMacros)(targets))
    if (random.chance(0.4)) found.push(inRandomContainer(random, random.pick(foreignMacros)(targets)))
    if (random.chance(0.1)) found.push(inRandomContainer(random, random.pick(foreignMacros)(targets)))
    append(page, found)
  }
  addChains(world, random, pages)
  for (const comment of world.comments.values()) {
    const page = world.nodes.get(comment.pageId)
    if (page === undefined || !random.chance(0.15)) continue
    const { title, spaceKey } = pickOther(world, random, page)
    comment.body = { storage: `${comment.body.storage}${include(title, spaceKey)}` }
  }
}

/** What other pages can include: the whole text, excerpts, properties, tasks. */
function sharedParts({ id }: ContentNode): string {
  const word = codeWord(id)
  return [
    `<p>The code word is ${word}.</p>`,
    excerpt(`<p>In short: ${word}excerpt.</p>`),
    excerpt(`<p>Named: ${word}named.</p>`, { name: 'summary', hidden: 'true' }),
    macro('multiexcerpt', {
      parameters: { MultiExcerptName: 'shared' },
      rich: `<p>Shared: ${word}shared.</p>`,
    }),
    macro('details', {
      rich: `<table><tbody><tr><th>Keeper</th><td>${word}property</td></tr></tbody></table>`,
    }),
    taskList([
      [false, `Check ${word}task`],
      [true, `Checked ${word}done`],
    ]),
  ].join('')
}

/** Macros also occur in tables, in other macros, in layouts and in paragraphs. */
function inRandomContainer(random: Random, storage: string): string {
  switch (random.int(0, 5)) {
    case 0:
      return `<table><tbody><tr><td>${storage}</td></tr></tbody></table>`
    case 1:
      return macro('expand', { parameters: { title: 'Elsewhere' }, rich: storage })
    case 2:
      return `<ac:layout><ac:layout-section ac:type="single"><ac:layout-cell>${storage}</ac:layout-cell></ac:layout-section></ac:layout>`
    case 3:
      return `<p>See also ${storage}</p>`
    default:
      return storage
  }
}

function pickOther(world: World, random: Random, page: ContentNode): ReturnType<Targets['other']> {
  const choice = random.int(0, 9)
  if (choice === 0) return { title: `Missing page ${random.int(1, 99)}`, spaceKey: undefined }
  const wanted = (node: ContentNode): boolean => {
    if (node.kind !== 'page' || node.id === page.id) return false
    if (choice === 1) return node.status === 'trashed' || node.status === 'archived'
    if (node.status !== 'current') return false
    if (choice <= 4) return isRestricted(node.restrictions.read)
    return choice <= 6 ? node.spaceId !== page.spaceId : node.spaceId === page.spaceId
  }
  const among = [...world.nodes.values()].filter(wanted)
  if (among.length === 0) return { title: 'Missing page', spaceKey: undefined }
  const { title, spaceId } = random.pick(among)
  return { title, spaceKey: spaceId === page.spaceId ? undefined : world.spaces.get(spaceId)?.key }
}

/** Chains of four that end in an excerpt, and cycles of three. */
function addChains(world: World, random: Random, pages: ContentNode[]): void {
  const single = pages.filter(({ kind }) => kind === 'page')
  for (let left = Math.ceil(single.length / 40); left > 0; left--)
    for (const [length, closed] of [
      [4, false],
      [3, true],
    ] as const) {
      const members = random.some(single, length)
      for (const [at, page] of members.entries()) {
        const next = members[at + 1] ?? (closed ? members[0] : undefined)
        if (next === undefined || next === page) continue
        const spaceKey = world.spaces.get(next.spaceId)?.key ?? ''
        append(page, [
          at === 2 && !closed ? excerptInclude(next.title, { spaceKey }) : include(next.title, spaceKey),
        ])
      }
    }
}

// A round through a Buffer makes one flat string.
function append(page: ContentNode, pieces: string[]): void {
  if (pieces.length === 0) return
  let number = page.body.storage.split('ac:macro-id=').length
  const numbered = pieces
    .join('')
    .replaceAll('ac:schema-version="1"', (whole) => `${whole} ac:macro-id="${macroId(page.id, number++)}"`)
  page.body = { storage: Buffer.from(page.body.storage + numbered).toString() }
}

const macroId = (pageId: string, number: number): string =>
  `${pageId.padStart(8, '0')}-0000-4000-a000-${String(number).padStart(12, '0')}`
