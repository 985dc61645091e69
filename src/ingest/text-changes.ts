import { extname } from 'node:path'
import { diffArrays } from 'diff'
import { type Compute, MAX_INLINE_LENGTH } from '../compute.ts'
import type { Element } from '../document.ts'

/** A run of lines; a line is a sentence, or a row of a table or list. */
export type TextChange = { kind: 'same' | 'added' | 'removed'; text: string }

/** A longer comparison would keep other requests waiting. */
const MAX_EDITS = 1_500
const TIMEOUT_MS = 500
const MAX_CHARACTERS = 2_000_000

/** Long texts are compared in a process that serves no one. */
export async function compareTexts(
  from: Element[],
  to: Element[],
  { compute, signal }: { compute: Compute; signal: AbortSignal },
): Promise<TextChange[] | null> {
  const length = [...from, ...to].reduce((sum, { text }) => sum + text.length, 0)
  if (length <= MAX_INLINE_LENGTH) return textChanges(from, to)
  if (length > MAX_CHARACTERS) return null
  const texts = (elements: Element[]) => elements.map(({ text }) => ({ text }))
  const module = new URL(`text-changes${extname(import.meta.url)}`, import.meta.url).href
  const filename = to[0]?.metadata.filename ?? ''
  // `textChangesOf` made it.
  return (await compute(
    { module, name: 'textChangesOf', filename, input: [texts(from), texts(to)] },
    signal,
  )) as TextChange[] | null
}

/** Called in the other process. */
export function textChangesOf([from, to]: [Text[], Text[]]): TextChange[] | null {
  return textChanges(from, to)
}

type Text = Pick<Element, 'text'>

/** Null if the texts are too long. Texts that differ too much are replaced as a whole. */
export function textChanges(from: Text[], to: Text[]): TextChange[] | null {
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

function linesOf(elements: Text[]): string[] {
  return elements
    .flatMap(({ text }) => text.split(/\n+|(?<=[.!?])\s+(?=\p{Lu}|\p{N})/u))
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function charactersOf(lines: string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0)
}
