import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paragraph } from './lines.ts'
import { progressLine } from './progress.ts'

const written = (isTTY: boolean) => {
  const lines: string[] = []
  // The parts of a stream that a progress line uses.
  const stream = { isTTY, write: (text: string) => lines.push(text) } as unknown as NodeJS.WriteStream
  return { lines, stream }
}

test('it prints the last line of progress once without a terminal', () => {
  const { lines, stream } = written(false)
  const line = progressLine(stream)
  for (const done of [0, 5, 10, 10, 10]) line.show(done, 10)
  line.end()
  assert.equal(lines.filter((each) => each.includes('10 of 10 pages')).length, 1)
})

test('it fits the progress of many pages on a terminal', () => {
  const { lines, stream } = written(false)
  const line = progressLine(stream)
  line.show(10_000, 99_999)
  line.end()
  assert.ok(
    lines.every((each) => each.trimEnd().length <= 80),
    lines.join(),
  )
})

test('it wraps a paragraph at 80 columns without losing words', () => {
  const words = 'one two three four five six seven eight nine ten '.repeat(6).trim()
  const lines = paragraph(words, '    ').split('\n')
  assert.ok(lines.every((line) => line.length <= 80 && line.startsWith('    ')))
  assert.equal(lines.map((line) => line.trim()).join(' '), words)
})
