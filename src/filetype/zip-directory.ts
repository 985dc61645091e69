const END_SIGNATURE = 0x06054b50
const ENTRY_SIGNATURE = 0x02014b50
/** An office package has dozens of parts; those that identify it come early. */
const MAX_NAMES = 2000

/** A directory entry; `at` is the offset of the part's own header. */
export type ZipEntry = { name: string; method: number; compressed: number; size: number; at: number }

/** The names in the directory of a zip; none if unreadable. */
export function zipNames(bytes: Uint8Array): string[] {
  return zipEntries(bytes, MAX_NAMES).map(({ name }) => name)
}

export function zipEntries(bytes: Uint8Array, max: number): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = endOfDirectory(view)
  if (end === -1) return []
  const entries: ZipEntry[] = []
  let at = view.getUint32(end + 16, true)
  while (entries.length < max && at + 46 <= end && view.getUint32(at, true) === ENTRY_SIGNATURE) {
    const length = view.getUint16(at + 28, true)
    entries.push({
      name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)),
      method: view.getUint16(at + 10, true),
      compressed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    })
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return entries
}

/** The last 22 bytes, before a comment of up to 65,535. */
function endOfDirectory(view: DataView): number {
  const last = view.byteLength - 22
  for (let at = last; at >= Math.max(0, last - 0xffff); at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return at
  return -1
}
