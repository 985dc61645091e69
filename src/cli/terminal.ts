import type { Registry } from '../connectors/registry.ts'
import { createRedactionRegistry } from '../log/redaction.ts'

export type Stream = { write(text: string): unknown; isTTY?: boolean; columns?: number }

/** Arguments, environment and streams of one call. */
export type Invocation = {
  args: string[]
  env: Record<string, string | undefined>
  out: Stream
  err: Stream
  /** Replaces the built-in connector types. */
  registry?: Registry
}

/** Output for people; secrets are removed from every line. */
export type Terminal = {
  readonly isLive: boolean
  readonly columns: number
  redact(secret: string): void
  /** Results, to standard output. */
  print(line?: string): void
  /** Notes, to standard error. */
  note(line: string): void
  /** A line that replaces itself, on a terminal. */
  live(line: string): void
}

export function openTerminal({ out, err }: Pick<Invocation, 'out' | 'err'>): Terminal {
  const secrets = createRedactionRegistry()
  let hasLiveLine = false
  const clear = () => {
    if (hasLiveLine) err.write('\r\u001b[K')
    hasLiveLine = false
  }
  return {
    isLive: err.isTTY === true,
    columns: err.columns ?? 80,
    redact(secret) {
      secrets.add(secret)
      // The form in JSON output.
      secrets.add(JSON.stringify(secret).slice(1, -1))
    },
    print(line = '') {
      clear()
      out.write(`${secrets.redact(line)}\n`)
    },
    note(line) {
      clear()
      err.write(`${secrets.redact(line)}\n`)
    },
    live(line) {
      clear()
      err.write(secrets.redact(line))
      hasLiveLine = true
    },
  }
}
