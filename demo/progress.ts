/** Updates one line on a terminal; elsewhere prints a line every 3 s. */
export function progressLine(stream: NodeJS.WriteStream = process.stdout): {
  show(done: number, found: number): void
  end(): void
} {
  const began = performance.now()
  let printedAt = 0
  let last = ''
  return {
    show(done, found) {
      const seconds = (performance.now() - began) / 1000
      const rate = done / Math.max(seconds, 0.1)
      const text =
        found === 0
          ? 'listing the wiki …'
          : `${bar(done / found)} ${done} of ${found} pages, ${rate.toFixed(0)} pages/s${left(found - done, rate)}`
      last = `  ${text}`
      if (stream.isTTY) stream.write(`\r\u001b[K${last}`)
      else if (seconds - printedAt >= 3) {
        stream.write(`${last}\n`)
        printedAt = seconds
        last = ''
      }
    },
    end() {
      if (stream.isTTY) stream.write('\n')
      else if (last) stream.write(`${last}\n`)
    },
  }
}

// Fits five-digit page counts into 80 columns.
const WIDTH = 24

function bar(share: number): string {
  const full = Math.round(share * WIDTH)
  return '█'.repeat(full) + '░'.repeat(WIDTH - full)
}

function left(remaining: number, rate: number): string {
  return remaining > 0 && rate > 0 ? `, ${Math.ceil(remaining / rate)} s left` : ''
}
