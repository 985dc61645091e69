import { addComment, resolveComment } from './model/comments.ts'
import {
  type Comment,
  type ContentNode,
  isCloudOnly,
  type Resolution,
  type WikiPerson,
  type World,
} from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'
import { capital } from './words.ts'

/** Comments on a sixth of the pages; the rest stays the same. */
export function addComments(world: World, people: readonly WikiPerson[], seed: number): void {
  const random = createRandom(seed ^ 0x5eed)
  const pages = [...world.nodes.values()].filter(
    ({ kind, status }) => !isCloudOnly(kind) && status === 'current',
  )
  for (const page of pages) {
    if (!random.chance(1 / 6)) continue
    const add = (more: {
      parentId?: string
      selection?: string
      location?: 'footer' | 'inline'
    }): Comment => {
      const text = `<p>${capital(random.pick(remarks))} ${random.int(1, 999)}.</p>`
      const { accountId } = random.pick(people)
      const createdAt = page.version.when
      return addComment(world, page, {
        ...more,
        body: { storage: text },
        authorId: accountId,
        createdAt,
      })
    }
    for (let left = random.int(1, 3); left > 0; left--) {
      const root = add(random.chance(0.4) ? { location: 'inline', selection: wordsOf(page, random) } : {})
      if (random.chance(0.5)) add({ parentId: add({ parentId: root.id }).id })
      if (root.location === 'inline') resolveComment(world, root, random.pick(resolutions), root.authorId)
    }
  }
}

const resolutions: readonly Resolution[] = ['open', 'open', 'resolved', 'reopened', 'dangling']

const remarks = [
  'is this still how we do it? I counted',
  'agreed, and the number should be',
  'please link the ticket, it was number',
  'the last audit had this as point',
  'thanks, that saved me an afternoon of',
]

/** Two words of the page, as a person would select them. */
function wordsOf({ body, title }: ContentNode, random: Random): string {
  const found = [...body.storage.matchAll(/<p>(\w+ \w+)/g)].map((match) => match[1] ?? '')
  return found.length === 0 ? title : random.pick(found)
}
