/** Runs work in order of arrival while the bytes of all running work fit, and those of one key into half of them. */
export type ByteLimit = {
  use<T>(part: { key: string; bytes: number }, signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

type Waiting = { key: string; bytes: number; start: () => void }

export function createByteLimit(max: number): ByteLimit {
  const held = new Map<string, number>()
  const waiting: Waiting[] = []
  const used = () => held.values().reduce((sum, bytes) => sum + bytes, 0)

  function hold(key: string, bytes: number): void {
    const after = (held.get(key) ?? 0) + bytes
    if (after === 0) held.delete(key)
    else held.set(key, after)
  }

  /** The first work whose key has room. Later work of a key without room keeps its order, and other keys pass it. */
  function nextIndex(): number {
    const withoutRoom = new Set<string>()
    return waiting.findIndex(({ key, bytes }) => {
      const ofKey = held.get(key) ?? 0
      // Work larger than the share of its key runs alone.
      const fits = !withoutRoom.has(key) && (ofKey === 0 || ofKey + bytes <= max / 2)
      if (!fits) withoutRoom.add(key)
      return fits
    })
  }

  function startNext(): void {
    for (let at = nextIndex(); at >= 0; at = nextIndex()) {
      const { key, bytes, start } = waiting[at]!
      if (held.size > 0 && used() + bytes > max) return
      waiting.splice(at, 1)
      hold(key, bytes)
      start()
    }
  }

  async function turn(part: { key: string; bytes: number }, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entry = { ...part, start: resolve }
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
    async use(part, signal, work) {
      signal.throwIfAborted()
      await turn(part, signal)
      try {
        return await work()
      } finally {
        hold(part.key, -part.bytes)
        startNext()
      }
    },
  }
}
