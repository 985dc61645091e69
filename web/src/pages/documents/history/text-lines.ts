import type { DocumentChanges } from '../types.ts'

type Part = NonNullable<DocumentChanges['text']>[number]
export type Line = { kind: Part['kind']; text: string }
export type LineGroup = { kind: Part['kind']; lines: string[]; collapsed: boolean }

// Lines around a change that stay visible.
const CONTEXT = 2

/** One entry per line, so that signs start every line. */
export function changedLines(parts: Part[]): Line[] {
  return parts.flatMap(({ kind, text }) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ kind, text: line })),
  )
}

/** Neighbouring lines of one kind; long unchanged parts are collapsed except next to changes. */
export function groupLines(lines: Line[]): LineGroup[] {
  const groups: LineGroup[] = []
  for (const { kind, text } of lines) {
    const last = groups.at(-1)
    if (last?.kind === kind) last.lines.push(text)
    else groups.push({ kind, lines: [text], collapsed: false })
  }
  return groups.flatMap((group, index) =>
    group.kind === 'same' ? collapse(group, index > 0, index < groups.length - 1) : [group],
  )
}

function collapse({ kind, lines }: LineGroup, hasBefore: boolean, hasAfter: boolean): LineGroup[] {
  const head = hasBefore ? CONTEXT : 0
  const tail = hasAfter ? CONTEXT : 0
  if (lines.length <= head + tail + 1) return [{ kind, lines, collapsed: false }]
  return [
    { kind, lines: lines.slice(0, head), collapsed: false },
    { kind, lines: lines.slice(head, lines.length - tail), collapsed: true },
    { kind, lines: lines.slice(lines.length - tail), collapsed: false },
  ].filter((group) => group.lines.length > 0)
}
