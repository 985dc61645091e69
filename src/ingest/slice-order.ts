type WaitingSlice = { slice: number; start(): void }

const waiting: WaitingSlice[] = []
let isScheduled = false

/** Waits until no earlier slice has a document ready: slices that advance together would also write together. */
export function inSliceOrder(slice: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  waiting.push({ slice, start: resolve })
  schedule()
  return promise
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return
  isScheduled = true
  // Afterwards, so that the document before has been processed and its slice waits with the next one.
  setImmediate(() => {
    isScheduled = false
    const [first] = waiting.sort((a, b) => a.slice - b.slice).splice(0, 1)
    first?.start()
    schedule()
  })
}
