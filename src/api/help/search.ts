import type { Help, HelpDocument, Section } from './documents.ts'
import { helpAddressOf } from './documents.ts'
import { quotedHtml } from './render.ts'

export type HelpHit = { address: string; title: string; heading: string; passage: string }

const MAX_HITS = 30
const MAX_WORDS = 8
const PASSAGE = 200
/** Further ones say no more, and a search without sign-in has to be cheap. */
const MAX_COUNT = 4

/** Sections with all words of the query, or with any if none has all; titles count most. */
export function searchHelp({ documents }: Help, query: string): HelpHit[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS)
  if (words.length === 0) return []
  const scored = [...documents.values()]
    .flatMap((document) => document.sections.map((section) => ({ document, section })))
    .map((each) => ({ ...each, ...scoreOf(each, words) }))
  const whole = scored.filter(({ found }) => found === words.length)
  const hits = whole.length > 0 ? whole : scored.filter(({ found }) => found > 0)
  return hits
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ document, section }) => {
      const page = helpAddressOf(document.path)
      return {
        address: section.anchor ? `${page}#${section.anchor}` : page,
        title: document.title,
        heading: section.heading,
        passage: passageOf(section.text, words),
      }
    })
}

function scoreOf(
  { document, section }: { document: HelpDocument; section: Section },
  words: string[],
): { found: number; score: number } {
  const title = document.title.toLowerCase()
  const heading = section.heading.toLowerCase()
  const scores = words.map(
    (word) =>
      (title.includes(word) ? 8 : 0) + (heading.includes(word) ? 8 : 0) + countOf(word, section.lowerText),
  )
  // Decisions explain the past; people look for the present first.
  const weight = document.path.startsWith('docs/decisions/') ? 0.3 : 1
  return {
    found: scores.filter((score) => score > 0).length,
    score: weight * scores.reduce((sum, score) => sum + score, 0),
  }
}

function countOf(word: string, text: string): number {
  let count = 0
  let at = text.indexOf(word)
  while (at >= 0 && ++count < MAX_COUNT) at = text.indexOf(word, at + word.length)
  return count
}

/** Escaped HTML around the first word, with the words marked. */
function passageOf(text: string, words: string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const start = Math.max(0, Math.min(...places, lower.length) - 60)
  const passage = text.slice(start, start + PASSAGE)
  const pattern = new RegExp(
    words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
    'giu',
  )
  let html = ''
  let end = 0
  for (const { 0: word, index } of passage.matchAll(pattern)) {
    html += `${quotedHtml(passage.slice(end, index))}<mark>${quotedHtml(word)}</mark>`
    end = index + word.length
  }
  return `${start > 0 ? '… ' : ''}${html}${quotedHtml(passage.slice(end))}${start + PASSAGE < text.length ? ' …' : ''}`
}
