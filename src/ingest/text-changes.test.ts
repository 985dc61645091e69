import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Element } from '../document.ts'
import { createFileReading } from '../pipeline/partition/reading/file-reading.ts'
import { compareTexts, textChanges } from './text-changes.ts'

const elements = (...texts: string[]): Element[] =>
  texts.map((text, at) => ({
    type: 'NarrativeText',
    element_id: String(at),
    text,
    metadata: { filename: 'a.html', filetype: 'text/html' },
  }))

test('it compares sentence by sentence', () => {
  const from = elements('The wheel turns. It is old.', 'Row one\nRow two')
  const to = elements('The wheel turns. It is new.', 'Row one\nRow two')
  assert.deepEqual(textChanges(from, to), [
    { kind: 'same', text: 'The wheel turns.' },
    { kind: 'removed', text: 'It is old.' },
    { kind: 'added', text: 'It is new.' },
    { kind: 'same', text: 'Row one\nRow two' },
  ])
})

test('it keeps abbreviations and numbers in one line', () => {
  assert.deepEqual(textChanges([], elements('Version 2.1 runs, e.g. on Linux.')), [
    { kind: 'added', text: 'Version 2.1 runs, e.g. on Linux.' },
  ])
})

test('it replaces texts that differ too much as a whole', () => {
  const lines = (prefix: string) =>
    elements(Array.from({ length: 2000 }, (_, at) => `${prefix} ${at}`).join('\n'))
  assert.deepEqual(
    textChanges(lines('old'), lines('new'))?.map(({ kind }) => kind),
    ['removed', 'added'],
  )
})

test('it compares no texts of more than two million characters', () => {
  assert.equal(textChanges(elements('x'.repeat(1_500_000)), elements('y'.repeat(1_500_000))), null)
})

test('it compares long texts in a reader process, with the same result', async () => {
  const files = createFileReading({ readers: 1 })
  const { signal } = new AbortController()
  const metadata = { filename: '1.html', filetype: 'text/html' }
  const lines = (last: string) =>
    Array.from({ length: 6000 }, (_, at): Element => {
      const text = at === 5999 ? last : `The wheel turns by the water ${at}.`
      return { type: 'NarrativeText', element_id: String(at), text, metadata }
    })
  const [from, to] = [lines('Slow.'), lines('Fast.')]
  const changes = await compareTexts(from, to, { compute: files.compute, signal })
  assert.ok(files.pids().length > 0)
  await files.close()
  assert.deepEqual(changes, textChanges(from, to))
  assert.deepEqual(changes?.at(-1), { kind: 'added', text: 'Fast.' })
})
