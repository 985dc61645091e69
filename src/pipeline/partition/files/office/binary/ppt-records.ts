/** Types of records in a PowerPoint document. */
export const PPT = {
  DOCUMENT: 1000,
  SLIDE: 1006,
  SLIDE_ATOM: 1007,
  NOTES: 1008,
  SLIDE_REF: 1011,
  SLIDE_SHOW: 1017,
  DRAWING: 1036,
  PLACEHOLDER: 3011,
  OUTLINE_TEXT: 3998,
  TEXT_KIND: 3999,
  TEXT: 4000,
  TEXT_STYLE: 4001,
  NARROW_TEXT: 4008,
  SLIDE_LIST: 4080,
  USER_EDIT: 4085,
  ADDRESSES: 6002,
  GROUP: 0xf003,
  SHAPE: 0xf004,
  TEXT_BOX: 0xf00d,
  CHILD_ANCHOR: 0xf00f,
  ANCHOR: 0xf010,
  SHAPE_DATA: 0xf011,
  TABLE_PROPERTIES: 0xf122,
} as const

/** `instance` tells records of one type apart. */
export type PptRecord = { type: number; instance: number; data: DataView }

export function pptRecordAt(stream: DataView, at: number): PptRecord | null {
  if (at + 8 > stream.byteLength) return null
  const length = Math.min(stream.getUint32(at + 4, true), stream.byteLength - at - 8)
  return {
    type: stream.getUint16(at + 2, true),
    instance: stream.getUint16(at, true) >>> 4,
    data: new DataView(stream.buffer, stream.byteOffset + at + 8, length),
  }
}

export function* childrenOf({ data }: { data: DataView }): Generator<PptRecord> {
  for (let at = 0; ; ) {
    const record = pptRecordAt(data, at)
    if (!record) return
    yield record
    at += 8 + record.data.byteLength
  }
}

export function childOf(record: { data: DataView } | null, type: number): PptRecord | null {
  if (!record) return null
  for (const child of childrenOf(record)) if (child.type === type) return child
  return null
}
