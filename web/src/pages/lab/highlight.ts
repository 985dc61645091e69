export type Piece = { text: string; marked: boolean }

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
  '&#39;': "'",
  '&#x2F;': '/',
}

/** Splits an escaped fragment at its highlight tags. Everything else stays text and never becomes markup. */
export function piecesOf(fragment: string): Piece[] {
  return fragment
    .split(/<(?:mark|em)>([\s\S]*?)<\/(?:mark|em)>/)
    .map((text, index) => ({ text: unescaped(text), marked: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

/** Marks in a whole text the words that its fragments mark. */
export function markedText(text: string, fragments: readonly string[]): Piece[] {
  const words = new Set(fragments.flatMap(piecesOf).flatMap(({ text, marked }) => (marked ? [text] : [])))
  if (words.size === 0) return [{ text, marked: false }]
  const pattern = new RegExp(`(${[...words].map(escaped).join('|')})`)
  return text
    .split(pattern)
    .map((piece, index) => ({ text: piece, marked: index % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}

// Browsers before 2025 have no RegExp.escape.
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#x27|#39|#x2F);/gi, (entity) => {
    const known = entities[entity] ?? entities[entity.toLowerCase().replace('2f', '2F')]
    return known ?? entity
  })
}
