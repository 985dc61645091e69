import { diffArrays } from 'diff'
import type { Element } from '../document.ts'

/** A run of lines; a line is a sentence, or a row of a table or list. */
export type TextChange = { kind: 'same' | 'added' | 'removed'; text: string }

/** A longer comparison would keep other requests waiting. */
const MAX_EDITS = 1_500
const TIMEOUT_MS = 500
const MAX_CHARACTERS = 2_000_000

/** Null if the texts are too long. Texts that differ too much are replaced as a whole. */
export function textChanges(from: Element[], to: Element[]): TextChange[] | null {
  const [before, after] = [linesOf(from), linesOf(to)]
  if (charactersOf(before) + charactersOf(after) > MAX_CHARACTERS) return null
  const changes = diffArrays(before, after, { maxEditLength: MAX_EDITS, timeout: TIMEOUT_MS })
  if (!changes)
    return [
      { kind: 'removed', text: before.join('\n') },
      { kind: 'added', text: after.join('\n') },
    ]
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value.join('\n'),
  }))
}

function linesOf(elements: Element[]): string[] {
  return elements
    .flatMap(({ text }) => text.split(/\n+|(?<=[.!?])\s+(?=\p{Lu}|\p{N})/u))
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function charactersOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
