import type { Block } from '../../blocks.ts'
import { collapse } from '../../running-text.ts'
import { oneLine } from '../one-line.ts'
import type { Cue } from './cues.ts'

/** A pause this long ends a paragraph after a sentence. */
const PAUSE_SECONDS = 3
/** A paragraph ends with the sentence that passes the first length, and always at the second. */
const LONG = 700
const LONGEST = 1500
const MAX_SPEAKER_LENGTH = 100

type Paragraph = { start: number; speaker: string; text: string; end: number }

/** Cues joined into paragraphs, one speaker each; `start_seconds` says when a paragraph begins. */
export function captionBlocks(cues: Cue[]): Block[] {
  const paragraphs: Paragraph[] = []
  for (const { start, end, speaker, text } of withoutRepeats(cues)) {
    const last = paragraphs.at(-1)
    if (last && continues(last, { start, speaker })) {
      last.text += ` ${text}`
      last.end = end
    } else paragraphs.push({ start, end, speaker, text })
  }
  return paragraphs.map(({ start, speaker, text }) => ({
    type: 'NarrativeText',
    text: speaker === '' ? text : `${speaker}: ${text}`,
    links: [],
    metadata: { start_seconds: Math.floor(start) },
  }))
}

function continues(last: Paragraph, { start, speaker }: { start: number; speaker: string }): boolean {
  if (last.speaker !== speaker || last.text.length >= LONGEST) return false
  const isSentence = /[.!?…。！？]["'”’»)]*$/u.test(last.text)
  return !isSentence || (last.text.length < LONG && start - last.end < PAUSE_SECONDS)
}

/** A caption shows two or three lines. */
const MAX_REPEATED_LINES = 10

/** Rolling captions repeat the line above, or show a line word by word. */
function* withoutRepeats(cues: Cue[]): Generator<Paragraph> {
  let shown: string[] = []
  for (const { start, end, speaker, lines } of cues) {
    const texts = lines.map(collapse).filter((line) => line !== '')
    const fresh = texts.flatMap((line) => {
      if (shown.includes(line)) return []
      const begun = shown.findLast((before) => line.startsWith(`${before} `))
      return [begun ? line.slice(begun.length + 1) : line]
    })
    if (texts.length > 0) shown = texts.slice(-MAX_REPEATED_LINES)
    if (fresh.length > 0)
      yield { start, end, speaker: oneLine(speaker, MAX_SPEAKER_LENGTH), text: fresh.join(' ') }
  }
}
