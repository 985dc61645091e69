import type { Block } from '../../blocks.ts'
import type { Item } from './page.ts'

/** Where the text is, and the mean confidence of OCR by characters if it was recognised. */
export function itemMetadata(items: Iterable<Item>): Pick<Block, 'metadata'> {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity }
  let [sum, characters] = [0, 0]
  for (const { text, confidence, x, y, width, size } of items) {
    box.left = Math.min(box.left, Math.floor(x))
    box.top = Math.min(box.top, Math.floor(y - size * ASCENT))
    box.right = Math.max(box.right, Math.ceil(x + width))
    box.bottom = Math.max(box.bottom, Math.ceil(y + size * DESCENT))
    if (confidence === undefined) continue
    sum += confidence * text.length
    characters += text.length
  }
  return {
    metadata: {
      // A broken file may have other numbers.
      ...(Object.values(box).every(Number.isFinite) ? { box } : {}),
      ...(characters > 0 ? { detection_class_prob: Math.round((sum / characters) * 1000) / 1000 } : {}),
    },
  }
}

/** Of common fonts, in font sizes. */
const [ASCENT, DESCENT] = [0.9, 0.25]
