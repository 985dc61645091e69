import { Readable } from 'node:stream'

/** One server-sent event. `id` is what a client that comes back says it had last. */
export type ServerEvent = { id: string; event: string; data: object }

export type EventStream = {
  readable: Readable
  send(event: ServerEvent): void
  /** True while the client does not keep up with what it was sent already. */
  isBehind(): boolean
  end(): void
}

/** Ends a stream from outside, after what was sent already. */
const END = Symbol('ends the stream')
type Endable = Readable & { [END]?: () => void }

/** Asks again and again whether somebody may still read; a stream that was opened long ago ends when they may not. */
export function endWhenRefused(
  stream: Readable,
  { isAllowed, everyMs }: { isAllowed: () => Promise<boolean>; everyMs: number },
): void {
  const end = (stream as Endable)[END] ?? (() => stream.destroy())
  // What cannot be asked is not allowed: whoever reads comes back, and is asked at the door.
  const ask = () => void isAllowed().then((allowed) => allowed || end(), end)
  const timer = setInterval(ask, everyMs)
  timer.unref()
  stream.once('close', () => clearInterval(timer))
}

// Proxies drop connections that are silent for 30 s and more.
const HEARTBEAT_MS = 15_000
const BEHIND_BYTES = 64 * 1024

/** `gone` is called once, when nobody reads any more. */
export function createEventStream(gone: () => void, heartbeatMs = HEARTBEAT_MS): EventStream {
  let heartbeat: NodeJS.Timeout
  const readable = new Readable({
    read() {},
    destroy(error, done) {
      clearTimeout(heartbeat)
      gone()
      done(error)
    },
  })
  let isOver = false
  const push = (text: string) => {
    if (readable.destroyed || isOver) return
    readable.push(text)
    heartbeat.refresh()
  }
  heartbeat = setTimeout(() => push(': still here\n\n'), heartbeatMs)
  heartbeat.unref()

  const end = () => {
    clearTimeout(heartbeat)
    if (!readable.destroyed && !isOver) readable.push(null)
    isOver = true
  }
  ;(readable as Endable)[END] = end

  return {
    readable,
    send: ({ id, event, data }) => push(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    isBehind: () => readable.readableLength > BEHIND_BYTES,
    end,
  }
}
