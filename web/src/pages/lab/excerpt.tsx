import { type Piece, piecesOf } from './highlight.ts'

const MAX_CHARACTERS = 320

/** The first highlighted passage, else the start of the text. */
export function Excerpt({ text, highlights }: { text: string; highlights: readonly string[] }) {
  const [highlight] = highlights
  if (!highlight) return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return <Marked pieces={piecesOf(highlight)} />
}

export function Marked({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, marked }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in order.
    marked ? <mark key={index}>{text}</mark> : text,
  )
}
