import { readXml } from '../xml-tags.ts'
import { type Cue, secondsOf } from './cues.ts'

/** The paragraphs of a TTML file, which have a time each. */
export function cuesOfTtml(xml: string, filename: string): Cue[] {
  const cues: Cue[] = []
  let pieces: string[] | null = null
  readXml(xml, filename, {
    open: (tag, attributes) => {
      const name = tag.slice(tag.indexOf(':') + 1)
      if (name === 'p') {
        const start = secondsOf(attributes.begin)
        cues.push({ start, end: attributes.end ? secondsOf(attributes.end) : start, speaker: '', lines: [] })
        pieces = []
      } else if (name === 'br') pieces?.push('\n')
    },
    text: (data) => {
      pieces?.push(data.replaceAll(/\s+/g, ' '))
    },
    close: (tag) => {
      const cue = cues.at(-1)
      if (tag.slice(tag.indexOf(':') + 1) !== 'p' || !pieces || !cue) return
      cue.lines = pieces.join('').split('\n')
      pieces = null
    },
  })
  return cues
}
