import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { describe, test } from 'node:test'
import { parseSync } from 'vite'
import { amount } from './locale.ts'

const SRC = join(import.meta.dirname, '..')
/** Attributes that people read or hear. */
const SPOKEN = ['aria-label', 'title', 'placeholder', 'label', 'description', 'alt', 'header']
/** Names and formats that no translation changes. */
const UNTRANSLATED = /^(Millrace|JSON|CSV|YAML|cURL|TypeScript|Python|\/.*|[^\p{L}]*)$/u

describe('the catalogue of texts', () => {
  test('it has every text that a screen shows', async () => {
    const found: string[] = []
    for (const path of await filesIn(SRC, /\.tsx$/)) {
      const { program } = parseSync(path, await readFile(path, 'utf8'))
      for (const text of literalsIn(program))
        if (!UNTRANSLATED.test(text)) found.push(`${relative(SRC, path)}: ${text}`)
    }
    assert.deepEqual(found, [])
  })

  test('it holds strings and functions only', async () => {
    const wrong = (value: unknown, path: string): string[] => {
      if (typeof value === 'string' || typeof value === 'function' || value === undefined) return []
      if (typeof value !== 'object' || value === null) return [path]
      return Object.entries(value).flatMap(([name, each]) => wrong(each, `${path}.${name}`))
    }
    for (const path of await filesIn(import.meta.dirname, /(?<!\.test)\.ts$/))
      assert.deepEqual(wrong(await import(path), relative(SRC, path)), [])
  })

  test('it forms plurals by the rules of the language', () => {
    const forms = { one: '{n} job', other: '{n} jobs' }
    assert.deepEqual(
      [0, 1, 2, 1234].map((number) => amount(number, forms)),
      ['0 jobs', '1 job', '2 jobs', '1,234 jobs'],
    )
  })
})

async function filesIn(directory: string, pattern: RegExp): Promise<string[]> {
  const names = await readdir(directory, { recursive: true })
  return names.filter((name) => pattern.test(name)).map((name) => join(directory, name))
}

type Node = { type?: string; name?: { name?: unknown }; value?: unknown; [field: string]: unknown }

/** Text between tags, and values of spoken attributes. */
function literalsIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(literalsIn)
  if (typeof node !== 'object' || node === null) return []
  const { type, name, ...rest } = node as Node
  if (type === 'JSXText') return [String(rest.value).trim()].filter(Boolean)
  if (type === 'JSXAttribute') {
    const own = SPOKEN.includes(String(name?.name)) ? spokenIn(rest.value) : []
    return [...own, ...literalsIn(rest.value)]
  }
  const children = Array.isArray(rest.children) ? rest.children : []
  const spoken = type === 'JSXElement' || type === 'JSXFragment' ? children.flatMap(spokenIn) : []
  return [...spoken, ...Object.values(rest).flatMap(literalsIn)]
}

/** Strings that become text: literals, also in templates and conditions. */
function spokenIn(node: unknown): string[] {
  const { type, value, expression, ...rest } = (node ?? {}) as Node
  if (type === 'JSXExpressionContainer') return spokenIn(expression)
  if (type === 'Literal') return typeof value === 'string' ? [value.trim()] : []
  if (type === 'ConditionalExpression') return [rest.consequent, rest.alternate].flatMap(spokenIn)
  if (type === 'LogicalExpression') return [rest.left, rest.right].flatMap(spokenIn)
  if (type !== 'TemplateLiteral') return []
  return (rest.quasis as { value: { raw: string } }[]).map(({ value: { raw } }) => raw.trim())
}
