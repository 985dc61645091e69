import type { BackendDocument, DocumentName } from '../search/search-backend.ts'
import { endOfPart } from './response-size.ts'
import { visibleText } from './visible-text.ts'

/** Where a part begins: `offset` characters into the text after a passage. */
export type PartStart = { after: string | null; offset: number }

type PartOfDocument = DocumentName & {
  text: string
  metadata: Record<string, string>
  next_cursor?: string
  note?: string
}

const NOTE = 'The document goes on. Call fetch with next_cursor for the next part.'
const SEPARATOR = '\n\n'

/** Null for text that is no cursor. */
export function parseCursor(cursor: string | undefined): PartStart | null {
  if (cursor === undefined) return { after: null, offset: 0 }
  const [, offset, after] = /^(\d{1,9})\.(.*)$/s.exec(cursor) ?? []
  return offset === undefined ? null : { after: after || null, offset: Number(offset) }
}

/** As much of the passages as fits into a response. */
export function partOf(
  name: DocumentName,
  { passages, hasMore, metadata }: Omit<BackendDocument, keyof DocumentName>,
  { after, offset: wanted }: PartStart,
): PartOfDocument {
  const texts = passages.map(({ text }) => visibleText(text))
  const text = texts.join(SEPARATOR)
  const offset = Math.min(wanted, text.length)
  const longest = Math.max(0, ...passages.map(({ id }) => id.length))
  const rest = { ...name, metadata, next_cursor: '9'.repeat(12 + longest), note: NOTE }
  const end = endOfPart(text, offset, rest)
  const part = { ...name, text: text.slice(offset, end), metadata }
  const more = (cursor: string) => ({ ...part, next_cursor: cursor, note: NOTE })
  if (end === text.length) return hasMore ? more(`0.${passages.at(-1)?.id ?? ''}`) : part
  let start = 0
  let before = after
  for (const [at, each] of texts.entries()) {
    const next = start + each.length + SEPARATOR.length
    if (next > end) break
    start = next
    before = passages[at]?.id ?? null
  }
  return more(`${end - start}.${before ?? ''}`)
}
