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

/**
 * The pieces of a marked fragment. It comes as escaped text with tags around the words that were found; here it
 * becomes text again, and never markup: whatever else looks like a tag is shown as it is.
 */
export function piecesOf(fragment: string): Piece[] {
  return fragment
    .split(/<(?:mark|em)>([\s\S]*?)<\/(?:mark|em)>/)
    .map((text, index) => ({ text: unescaped(text), marked: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:lt|gt|amp|quot|#x27|#39|#x2F);/gi, (entity) => {
    const known = entities[entity] ?? entities[entity.toLowerCase().replace('2f', '2F')]
    return known ?? entity
  })
}
