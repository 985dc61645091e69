const END = 0x06054b50
const ENTRY = 0x02014b50
/** A package of an office program has dozens of parts; what tells its type is among the first. */
const MOST_NAMES = 2000

/** The names in the directory at the end of a zip; none where it has no directory that can be followed. */
export function zipNames(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  if (end === -1) return []
  const names: string[] = []
  let at = view.getUint32(end + 16, true)
  while (names.length < MOST_NAMES && at + 46 <= end && view.getUint32(at, true) === ENTRY) {
    const length = view.getUint16(at + 28, true)
    names.push(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)))
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return names
}

/** The record of 22 bytes that a zip ends with, before a comment of at most 65,535. */
function endOfDirectory(view: DataView): number {
  const last = view.byteLength - 22
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) if (view.getUint32(at, true) === END) return at
  return -1
}
