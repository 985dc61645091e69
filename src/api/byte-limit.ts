/** Runs work in order of arrival while the bytes of all running work fit. */
export type ByteLimit = {
  use<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function createByteLimit(max: number): ByteLimit {
  let used = 0
  const waiting: { bytes: number; start: () => void }[] = []

  function startNext(): void {
    // A single work larger than the limit runs alone.
    for (let next = waiting[0]; next && (used === 0 || used + next.bytes <= max); next = waiting[0]) {
      waiting.shift()
      used += next.bytes
      next.start()
    }
  }

  async function turn(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entry = { bytes, start: resolve }
    const leave = () => {
      const at = waiting.indexOf(entry)
      if (at === -1) return
      waiting.splice(at, 1)
      reject(signal.reason)
      startNext()
    }
    waiting.push(entry)
    signal.addEventListener('abort', leave, { once: true })
    startNext()
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  return {
    async use(bytes, signal, work) {
      signal.throwIfAborted()
      await turn(bytes, signal)
      try {
        return await work()
      } finally {
        used -= bytes
        startNext()
      }
    },
  }
}
