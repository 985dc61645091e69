export function inParts<T>(items: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}

type Size = { count: number; bytes: number }

/** Batches in order, each within both limits; an item larger than a limit has its own batch. */
export function batchesWithin<T>(items: T[], limits: Size, sizeOf: (item: T) => Size): T[][] {
  const batches: T[][] = []
  let used: Size = { count: 0, bytes: 0 }
  for (const item of items) {
    const { count, bytes } = sizeOf(item)
    const last = batches.at(-1)
    used = { count: used.count + count, bytes: used.bytes + bytes }
    if (last && used.count <= limits.count && used.bytes <= limits.bytes) {
      last.push(item)
      continue
    }
    used = { count, bytes }
    batches.push([item])
  }
  return batches
}
