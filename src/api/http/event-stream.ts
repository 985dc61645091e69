import { Readable } from 'node:stream'

/** A reconnecting client sends the last `id` it received. */
type ServerEvent = { id: string; event: string; data: object }

export type EventStream = {
  readable: Readable
  send(event: ServerEvent): void
  /** True while the client reads slower than we send. */
  isBehind(): boolean
  end(): void
}

/** Lets other code end a stream, after the events sent so far. */
const END = Symbol('end the stream')
type Endable = Readable & { [END]?: () => void }

/** Ends a long-lived stream once the client may no longer read it. */
export function endWhenRefused(
  stream: Readable,
  { isAllowed, everyMs }: { isAllowed: () => Promise<boolean>; everyMs: number },
): void {
  const end = (stream as Endable)[END] ?? (() => stream.destroy())
  // A failed check ends the stream too; the client reconnects and is authenticated again.
  const check = () => void isAllowed().then((allowed) => allowed || end(), end)
  const timer = setInterval(check, everyMs)
  timer.unref()
  stream.once('close', () => clearInterval(timer))
}

// Proxies drop connections that are silent for 30 s.
const HEARTBEAT_MS = 15_000
const BEHIND_BYTES = 64 * 1024

/** `onClose` is called once. */
export function createEventStream(onClose: () => void, heartbeatMs = HEARTBEAT_MS): EventStream {
  let heartbeat: NodeJS.Timeout
  const readable = new Readable({
    read() {},
    destroy(error, done) {
      clearTimeout(heartbeat)
      onClose()
      done(error)
    },
  })
  let hasEnded = false
  const push = (text: string) => {
    if (readable.destroyed || hasEnded) return
    readable.push(text)
    heartbeat.refresh()
  }
  heartbeat = setTimeout(() => push(': still here\n\n'), heartbeatMs)
  heartbeat.unref()

  const end = () => {
    clearTimeout(heartbeat)
    if (!readable.destroyed && !hasEnded) readable.push(null)
    hasEnded = true
  }
  ;(readable as Endable)[END] = end

  return {
    readable,
    send: ({ id, event, data }) => push(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    isBehind: () => readable.readableLength > BEHIND_BYTES,
    end,
  }
}
