import type { Block } from '../../blocks.ts'
import type { Item } from './page.ts'

/** The mean confidence of OCR by characters; nothing for text that was not recognised. */
export function confidenceOf(items: Iterable<Item>): Pick<Block, 'metadata'> {
  let [sum, characters] = [0, 0]
  for (const { text, confidence } of items) {
    if (confidence === undefined) continue
    sum += confidence * text.length
    characters += text.length
  }
  if (characters === 0) return {}
  return { metadata: { detection_class_prob: Math.round((sum / characters) * 1000) / 1000 } }
}
