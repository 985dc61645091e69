import { z } from 'zod'
import type { Entities } from '../../document.ts'
import { type Enrichment, withoutCodeFence, withoutControls } from './enrichment.ts'

const TYPES =
  'PERSON, ORGANIZATION, LOCATION, DATE, TIME, EVENT, MONEY, PERCENT, FACILITY, PRODUCT, ROLE, DOCUMENT, DATASET'
const SYSTEM =
  `You find the names in a text and what connects them. Types are ${TYPES}. Answer with JSON alone: ` +
  '{"items": [{"entity": "…", "type": "…"}], "relationships": [{"from": "…", "relationship": "…", "to": "…"}]}. ' +
  'Entities as they are written in the text; from and to are entities; a relationship is a short verb such as works_at. ' +
  'Where there is nothing, the lists are empty.'
const MAX_TEXT_LENGTH = 20_000
const MAX_ENTITIES = 200

/** Named entities of an element, in `metadata.entities`. */
export const entities: Enrichment = {
  what: 'the entities of an element',
  request({ type, text }, prompt) {
    if (text.trim() === '' || type === 'CodeSnippet') return null
    const excerpt = text.slice(0, MAX_TEXT_LENGTH)
    const filled = prompt?.includes('{{text}}') ? prompt.replaceAll('{{text}}', () => excerpt) : null
    const userPrompt = filled ?? (prompt === undefined ? excerpt : `${prompt}\n\n${excerpt}`)
    return { system: SYSTEM, prompt: userPrompt, accepts: (answer) => readEntities(answer) !== null }
  },
  apply(element, answer) {
    const found = readEntities(answer)
    if (!found) return null
    if (found.items.length === 0) return element
    return { ...element, metadata: { ...element.metadata, entities: found } }
  },
}

/** Entities of all elements in a chunk, without duplicates. */
export function mergeEntities(all: (Entities | undefined)[]): Entities | undefined {
  const some = all.filter((each) => each !== undefined)
  if (some.length === 0) return undefined
  const unique = <T>(items: T[]) => [...new Map(items.map((item) => [JSON.stringify(item), item])).values()]
  return {
    items: unique(some.flatMap(({ items }) => items)).slice(0, MAX_ENTITIES),
    relationships: unique(some.flatMap(({ relationships }) => relationships)).slice(0, MAX_ENTITIES),
  }
}

const word = z.string().transform(withoutControls).pipe(z.string().trim().min(1).max(500))
const shape = z.object({
  items: z.array(z.unknown()).default([]),
  relationships: z.array(z.unknown()).default([]),
})
const item = z.object({ entity: word, type: word })
const relationship = z.object({ from: word, relationship: word, to: word })

/** Drops invalid entries; null if the answer is not JSON. */
function readEntities(answer: string): Entities | null {
  const text = withoutCodeFence(answer)
  const parsed = shape.safeParse(parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)))
  if (!parsed.success) return null
  const validItems = <T>(rule: z.ZodType<T>, given: unknown[]) =>
    given.slice(0, MAX_ENTITIES).flatMap((each) => {
      const result = rule.safeParse(each)
      return result.success ? [result.data] : []
    })
  const { items, relationships } = parsed.data
  return { items: validItems(item, items), relationships: validItems(relationship, relationships) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
