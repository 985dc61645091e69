import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import type { Element } from '../src/document.ts'
import { chunkByTitle } from '../src/pipeline/chunk/chunk.ts'
import { CHUNK_DEFAULTS } from '../src/pipeline/chunk/settings.ts'
import { partitionHtml } from '../src/pipeline/partition/html.ts'
import { openBrowser } from '../test/world/browser.ts'
import { preparePage, readVisibleText } from '../test/world/read-as-person.ts'
import { generateWiki } from '../test/world/wiki/generator.ts'
import type { ApiAccount } from '../test/world/wiki/model/model.ts'
import { renderView } from '../test/world/wiki/render/render-view.ts'
import { machine, saveResult } from './results.ts'

/**
 * `npm run bench:partition`: pages/s of partition and chunk on one core. Compares with Python's `unstructured` if
 * `--python` has it.
 */
const { values } = parseArgs({
  options: { pages: { type: 'string', default: '1500' }, python: { type: 'string', default: 'python3' } },
})
type Page = { html: string; filename: string }
type ElementSummaries = { type: string; text: string; id: string }[]

const pages = pagesOfWiki(Number(values.pages))
const kilobytes = Math.round(pages.reduce((sum, { html }) => sum + html.length, 0) / 1000)
const ours = measureOurs()
print('Millrace', ours.seconds)
const theirs = await measureTheirs()
if (theirs) print(`unstructured ${theirs.version}`, theirs.seconds)
else console.log(`${values.python} has no "unstructured": nothing to compare with`)

const visible = await visibleWords()
const result = {
  date: new Date().toISOString(),
  machine: machine(),
  pages: pages.length,
  kilobytes,
  ours: { pages_per_second: rate(ours.seconds), ...visibleWordShares(ours.made, visible) },
  ...(theirs
    ? {
        unstructured: {
          ...{ version: theirs.version, has_model: theirs.has_model },
          ...{ pages_per_second: rate(theirs.seconds), ...visibleWordShares(theirs.made, visible) },
        },
        times_as_fast: round(theirs.seconds / ours.seconds, 1),
        ...agreement(ours.made, theirs.made),
      }
    : {}),
}
console.log(JSON.stringify(result, null, 2))
await saveResult('partition.jsonl', result)
process.exit()

function pagesOfWiki(count: number): Page[] {
  const world = generateWiki({ seed: 1, pages: count, spaces: 10, people: 60, groups: 12 })
  const account = world.accounts[0] as ApiAccount
  return [...world.nodes.values()]
    .filter(({ kind }) => kind === 'page')
    .slice(0, count)
    .map((node) => ({
      html: renderView({ world, account, site: 'cloud' }, node),
      filename: `${node.id}.html`,
    }))
}

function measureOurs(): { seconds: number; made: ElementSummaries[] } {
  const work = ({ html, filename }: Page): Element[] => {
    const elements = partitionHtml({ html, filename, title: '', filetype: 'text/html' })
    chunkByTitle(elements, CHUNK_DEFAULTS)
    return elements
  }
  for (const page of pages.slice(0, 20)) work(page)
  const start = process.cpuUsage()
  const worked = pages.map(work)
  const { user, system } = process.cpuUsage(start)
  const made = worked.map((elements) =>
    elements.map(({ type, text, element_id: id }) => ({ type, text, id })),
  )
  return { seconds: (user + system) / 1e6, made }
}

async function measureTheirs() {
  if ((await run(['-c', 'import unstructured'], '')) === null) return null
  const answer = await run(
    [new URL('partition.py', import.meta.url).pathname],
    pages.map((page) => JSON.stringify(page)).join('\n'),
  )
  if (answer === null) throw new Error('bench/partition.py failed')
  const report = JSON.parse(answer) as {
    version: string
    has_model: boolean
    seconds: number
    pages: [string, string, string][][]
  }
  const made = report.pages.map((page) => page.map(([type, text, id]) => ({ type, text, id })))
  return { ...report, made }
}

/** Its output, or null if it failed. */
function run(args: string[], input: string): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(values.python, args, { stdio: ['pipe', 'pipe', input === '' ? 'ignore' : 'inherit'] })
    const parts: Buffer[] = []
    child.stdout?.on('data', (part: Buffer) => parts.push(part))
    child.on('error', () => resolve(null))
    child.on('close', (code) => resolve(code === 0 ? Buffer.concat(parts).toString() : null))
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

async function visibleWords(): Promise<string[][]> {
  const browser = await openBrowser('http://127.0.0.1')
  try {
    const tab = await browser.page()
    await preparePage(tab)
    const shown: string[][] = []
    for (let at = 0; at < pages.length; at += 100) {
      const batch = pages.slice(at, at + 100).map(({ html }) => html)
      for (const { text, pictures } of await readVisibleText(tab, batch)) {
        shown.push(wordsOf([text, ...pictures].join(' ')))
      }
    }
    return shown
  } finally {
    await browser.abandon()
  }
}

/** Share of visible words that elements have, and of element words that are invisible. */
function visibleWordShares(
  made: ElementSummaries[],
  shown: string[][],
): { visible_kept: number; unseen_let_in: number } {
  let kept = 0
  let all = 0
  let total = 0
  for (const [index, elements] of made.entries()) {
    const left = new Map<string, number>()
    for (const word of shown[index] ?? []) left.set(word, (left.get(word) ?? 0) + 1)
    all += shown[index]?.length ?? 0
    for (const word of wordsOf(elements.map(({ text }) => text).join(' '))) {
      total++
      const count = left.get(word) ?? 0
      if (count > 0) kept++
      left.set(word, count - 1)
    }
  }
  return { visible_kept: round(kept / all, 4), unseen_let_in: round((total - kept) / total, 4) }
}

/** Share of elements with equal text, and of these with equal type. */
function agreement(one: ElementSummaries[], other: ElementSummaries[]): object {
  let matched = 0
  let equal = 0
  let alike = 0
  for (const [index, elements] of one.entries()) {
    const types = new Map((other[index] ?? []).map(({ type, text }) => [wordsOf(text).join(' '), type]))
    for (const { type, text } of elements) {
      const theirType = types.get(wordsOf(text).join(' '))
      if (theirType === undefined) continue
      matched++
      if (theirType === type) equal++
      if (broad(theirType) === broad(type)) alike++
    }
  }
  const all = one.reduce((sum, elements) => sum + elements.length, 0)
  return {
    same_text: round(matched / all, 3),
    same_type: round(equal / matched, 3),
    same_type_but_for_kinds_of_text: round(alike / matched, 3),
  }
}

/** The library finds narrative text only with its language model. */
function broad(type: string): string {
  return type === 'NarrativeText' || type === 'UncategorizedText' ? 'text' : type
}

function wordsOf(text: string): string[] {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .split(/\s+/)
    .filter(Boolean)
}

function print(name: string, seconds: number): void {
  console.log(
    `${name}: ${rate(seconds)} pages/s on one core (${pages.length} pages, ${kilobytes} KB, ${round(seconds, 1)} s)`,
  )
}

function rate(seconds: number): number {
  return round(pages.length / seconds, 1)
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
