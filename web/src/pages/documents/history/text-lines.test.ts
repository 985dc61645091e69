import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changedLines, groupLines } from './text-lines.ts'

test('it shows one entry per line and hides unchanged lines far from a change', () => {
  const lines = changedLines([
    { kind: 'same', text: 'a\nb\nc\nd\n' },
    { kind: 'removed', text: 'old\n' },
    { kind: 'added', text: 'new\nmore\n' },
    { kind: 'same', text: 'e' },
  ])
  assert.deepEqual(
    groupLines(lines).map(({ kind, lines: texts, collapsed }) => [kind, texts.join(' '), collapsed]),
    [
      ['same', 'a b', true],
      ['same', 'c d', false],
      ['removed', 'old', false],
      ['added', 'new more', false],
      ['same', 'e', false],
    ],
  )
})

test('it hides the whole text of two equal versions', () => {
  const lines = changedLines([{ kind: 'same', text: 'a\nb\nc' }])
  assert.deepEqual(groupLines(lines), [{ kind: 'same', lines: ['a', 'b', 'c'], collapsed: true }])
})
