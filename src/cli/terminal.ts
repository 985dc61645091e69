import type { Registry } from '../connectors/registry.ts'
import { createRedactions } from '../log/redaction.ts'

export type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }

/** What the process was started with. */
export type Started = {
  args: string[]
  env: Record<string, string | undefined>
  out: Stream
  err: Stream
  /** The connector types to use in place of the built-in ones. */
  registry?: Registry
}

/** Where words go. Secrets of the run are taken out of every line, whoever wrote it. */
export type Terminal = {
  readonly isLive: boolean
  readonly columns: number
  hide(secret: string): void
  /** To standard output: what was asked for. */
  say(line?: string): void
  /** To standard error: what a person should know beside it. */
  note(line: string): void
  /** One line that replaces itself; only where a person looks on. */
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
      // As it stands in a line of JSON.
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
