import { TTML } from '../../../../filetype/text-formats.ts'
import { refuseTooManyParts } from '../../../limits.ts'
import { readMarkup } from '../../markup.ts'
import type { ReadFile } from '../reading-file.ts'
import { brokenFile } from '../refusals.ts'
import { decodePlainText } from '../text-content.ts'
import { type Cue, cuesOfLines } from './cues.ts'
import { captionBlocks } from './paragraphs.ts'
import { cuesOfTtml } from './ttml.ts'

/** What is spoken in a recording: WebVTT, SubRip, SBV and TTML. */
export const readCaptions: ReadFile = async (file) => {
  const { filename, filetype } = file
  const isXml = filetype === TTML
  const text = decodePlainText(file, isXml ? 'application/xml' : filetype)
  const cues = isXml ? cuesOfTtml(text, filename) : cuesOfLines(text).map(withoutEntities)
  if (cues.length === 0 && !isXml && text.replace(/^\ufeff?WEBVTT/, '').trim() !== '')
    throw brokenFile(filename, 'it has no captions with a time')
  refuseTooManyParts(cues.length, filename)
  return { blocks: captionBlocks(cues), warnings: [] }
}

function withoutEntities(cue: Cue): Cue {
  return { ...cue, lines: cue.lines.map((line) => (line.includes('&') ? decoded(line) : line)) }
}

/** A `<` that is left over is text. */
function decoded(line: string): string {
  const pieces: string[] = []
  const text = (data: string) => pieces.push(data)
  readMarkup(line.replaceAll('<', '&lt;'), { open: () => {}, close: () => {}, text })
  return pieces.join('')
}
