const HEADER_BYTES = 5
/** Errors and notices of a real server have a few KB. */
const MAX_REPORT_BYTES = 1_000_000
const REPORTS = new Set(['E'.charCodeAt(0), 'N'.charCodeAt(0)])

/**
 * Throws before the driver parses an error or notice whose fields have no end: its parser would never return. Takes the
 * bytes of one connection in order.
 */
export function createMessageCheck(): (chunk: Buffer) => void {
  let header = Buffer.alloc(0)
  let bytesLeft = 0
  let report: Buffer[] | null = null

  const startMessage = () => {
    bytesLeft = header.readUInt32BE(1) - 4
    report = REPORTS.has(header[0]!) ? [] : null
    if (bytesLeft < 0 || (report && (bytesLeft === 0 || bytesLeft > MAX_REPORT_BYTES))) throw invalidMessage()
    header = Buffer.alloc(0)
  }

  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (bytesLeft === 0) {
        const part = chunk.subarray(at, at + HEADER_BYTES - header.length)
        header = Buffer.concat([header, part])
        at += part.length
        if (header.length < HEADER_BYTES) return
        startMessage()
      }
      const part = chunk.subarray(at, at + bytesLeft)
      at += part.length
      bytesLeft -= part.length
      report?.push(part)
      if (report && bytesLeft === 0 && !hasEnd(Buffer.concat(report))) throw invalidMessage()
    }
  }
}

/** Fields are a byte and a text that ends with NUL; a NUL instead of a field ends them. */
function hasEnd(fields: Buffer): boolean {
  for (let at = 0; at < fields.length; ) {
    if (fields[at] === 0) return true
    const end = fields.indexOf(0, at + 1)
    if (end < 0) return false
    at = end + 1
  }
  return false
}

function invalidMessage(): Error {
  return new Error('the server sent an invalid message')
}
