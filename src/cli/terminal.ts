import type { Registry } from '../connectors/registry.ts'
import { createRedactions } from '../log/redaction.ts'

export type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }

export type Started = {
  args: string[]
  env: Record<string, string | undefined>
  out: Stream
  err: Stream
  /** The connector types to use in place of the built-in ones. */
  registry?: Registry
}

/** Output for people; secrets are removed from every line. */
export type Terminal = {
  readonly isLive: boolean
  readonly columns: number
  hide(secret: string): void
  /** Results, to standard output. */
  say(line?: string): void
  /** Notes, to standard error. */
  note(line: string): void
  /** A line that replaces itself, on a terminal. */
  live(line: string): void
}

export function openTerminal({ out, err }: Pick<Started, 'out' | 'err'>): Terminal {
  const secrets = createRedactions()
  let shown = false
  const clear = () => {
    if (shown) err.write('\r\u001b[K')
    shown = false
  }
  return {
    isLive: err.isTTY === true,
    columns: err.columns ?? 80,
    hide(secret) {
      secrets.add(secret)
      // As escaped in JSON.
      secrets.add(JSON.stringify(secret).slice(1, -1))
    },
    say(line = '') {
      clear()
      out.write(`${secrets.clean(line)}\n`)
    },
    note(line) {
      clear()
      err.write(`${secrets.clean(line)}\n`)
    },
    live(line) {
      clear()
      err.write(secrets.clean(line))
      shown = true
    },
  }
}
