/** Width and height from the file header, before decoding; null if unknown. */
export function pictureSize(bytes: Uint8Array): { width: number; height: number } | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 30) return null
  const signature = view.getUint32(0)
  if (signature === 0x89504e47) return { width: view.getUint32(16), height: view.getUint32(20) }
  if (signature === 0x47494638) return { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  if (signature >>> 16 === 0x424d)
    return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) }
  if (signature === 0x52494646) return webpSize(view)
  return signature >>> 16 === 0xffd8 ? jpegSize(view) : null
}

function webpSize(view: DataView): { width: number; height: number } | null {
  const kind = view.getUint32(12)
  if (kind === 0x56503858) {
    const uint24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1
    return { width: uint24(24), height: uint24(27) }
  }
  if (kind === 0x5650384c) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

/** Walks the segments up to the first frame. */
function jpegSize(view: DataView): { width: number; height: number } | null {
  for (let at = 2; at + 9 < view.byteLength; ) {
    const marker = view.getUint16(at)
    if (marker >>> 8 !== 0xff) return null
    // Padding and markers without a length may precede a segment any number of times.
    if (marker === 0xffff || marker === 0xff01 || (marker >= 0xffd0 && marker <= 0xffd7)) {
      at += marker === 0xffff ? 1 : 2
      continue
    }
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker)
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at += 2 + view.getUint16(at + 2)
  }
  return null
}
