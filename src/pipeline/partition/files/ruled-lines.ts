import type { Rule } from './pdf/page.ts'

/** About 1 cm of a scan; letters have no stroke this long. */
const MIN_LENGTH = 80
/** Thicker areas are surfaces that may hold text. */
const MAX_THICKNESS = 8
const MAX_DARK_BRIGHTNESS = 140
const MAX_RULES = 5000

export type Pixels = { data: Uint8ClampedArray; width: number; height: number }

/** Finds and erases ruled lines: OCR takes a ruled table for a drawing and skips its text. */
export function eraseLines(pixels: Pixels): Rule[] {
  const rules: Rule[] = []
  const dark = darkPixels(pixels)
  const { width, height } = pixels
  const erased: number[] = []
  const scan = (vertical: boolean) => {
    const [lines, length] = vertical ? [width, height] : [height, width]
    const [across, along] = vertical ? [1, width] : [width, 1]
    for (let line = 0; line < lines; line++) {
      for (let from = 0; from < length; from++) {
        let to = from
        while (to < length && dark[line * across + to * along]) to++
        if (to - from >= MIN_LENGTH && isThin(dark, { line, lines, across, along, from, to })) {
          const [x, y] = vertical ? [line, from] : [from, line]
          if (rules.length < MAX_RULES) rules.push({ vertical, x, y, length: to - from })
          for (let each = from; each < to; each++) erased.push(line * across + each * along)
        }
        from = to
      }
    }
  }
  scan(false)
  scan(true)
  for (const at of erased) pixels.data.fill(255, at * 4, at * 4 + 4)
  return rules
}

function darkPixels({ data, width, height }: Pixels): Uint8Array {
  const dark = new Uint8Array(width * height)
  for (let at = 0; at < dark.length; at++) {
    const [red, green, blue] = [data[at * 4] ?? 0, data[at * 4 + 1] ?? 0, data[at * 4 + 2] ?? 0]
    dark[at] = red * 0.3 + green * 0.59 + blue * 0.11 < MAX_DARK_BRIGHTNESS ? 1 : 0
  }
  return dark
}

type Run = { line: number; lines: number; across: number; along: number; from: number; to: number }

/** Measures the thickness at three points of a run. */
function isThin(dark: Uint8Array, { line, lines, across, along, from, to }: Run): boolean {
  return [0.25, 0.5, 0.75].every((share) => {
    const at = Math.round(from + (to - from) * share) * along
    let thickness = 1
    for (let next = line + 1; next < lines && dark[next * across + at]; next++) thickness++
    for (let next = line - 1; next >= 0 && dark[next * across + at]; next--) thickness++
    return thickness <= MAX_THICKNESS
  })
}
