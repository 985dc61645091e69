import { type Persona, personas } from '../test/world/sample/people.ts'
import { cut, paragraph } from './lines.ts'
import type { DemoServices } from './services.ts'

/** True if both people found exactly what they may read. */
export async function searchAsTwo(services: DemoServices, destinationId: string): Promise<boolean> {
  const [left, right] = [personas.priya, personas.lena]
  console.log(
    `  The same questions, asked by two people:\n\n    ${cell(name(left))}${cell(name(right))}`.trimEnd(),
  )
  let allCorrect = true
  for (const [index, { query }] of left.searches.entries()) {
    const found = await Promise.all(
      [left, right].map((persona) => titles(services, destinationId, { persona, query })),
    )
    console.log(`\n    "${query}"`)
    for (let row = 0; row < Math.min(4, Math.max(...found.map((list) => list.length))); row++) {
      console.log(`    ${cell(found[0]?.[row])}${cell(found[1]?.[row])}`.trimEnd())
    }
    for (const [side, persona] of [left, right].entries()) {
      for (const problem of problems(persona, index, found[side] ?? [])) {
        allCorrect = false
        console.log(paragraph(`✗ ${problem}`, '    '))
      }
    }
  }
  const hidden = right.doesNotSee[0]
  const seen = `✓ ${right.person.name} does not find "${hidden}"; ${left.person.name} finds it.`
  console.log(allCorrect ? `\n${paragraph(seen)}\n` : '')
  return allCorrect
}

async function titles(
  { client }: DemoServices,
  destinationId: string,
  { persona, query }: { persona: Persona; query: string },
): Promise<string[]> {
  const as = { user: persona.person.accountId }
  const { hits } = await client.search(destinationId, { query, as, size: 50 })
  return [...new Set(hits.map((hit) => hit.title ?? hit.url ?? ''))]
}

function problems(persona: Persona, index: number, found: string[]): string[] {
  const search = persona.searches[index]
  if (!search) return []
  const who = persona.person.name
  return [
    ...search.finds.filter((title) => !found.includes(title)).map((title) => `${who} should find "${title}"`),
    ...[...search.mustNotFind, ...persona.doesNotSee]
      .filter((title) => found.includes(title))
      .map((title) => `${who} must not see "${title}"`),
  ]
}

function name({ person }: Persona): string {
  return `${person.name}, ${person.role.toLowerCase()}`
}

// Two columns and the margin make 80.
const COLUMN = 38

function cell(text = ''): string {
  return cut(text, COLUMN - 2).padEnd(COLUMN)
}
