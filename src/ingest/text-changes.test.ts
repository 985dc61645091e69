import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Element } from '../document.ts'
import { textChanges } from './text-changes.ts'

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
