/** A summary of a log, which may have 100,000 lines. */
export type LogDigest = {
  /** Milliseconds by the service's clock. */
  startedAt: number | undefined
  /** Documents processed in each second; the log omits unchanged ones. */
  seconds: number[]
  /** The last lines, unchanged. */
  tail: string[]
  lines: number
}

export const TAIL_LINES = 500
// A day; a wrong clock must not allocate a billion entries.
const MAX_SECONDS = 86_400

export async function digestOf(text: AsyncIterable<string>): Promise<LogDigest> {
  const digest: LogDigest = { startedAt: undefined, seconds: [], tail: [], lines: 0 }
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(digest, line)
  }
  take(digest, rest)
  return digest
}

const processed = new Set(['new', 'changed', 'permissions_only', 'skipped', 'failed'])

function take(digest: LogDigest, line: string): void {
  if (!line) return
  digest.lines++
  digest.tail.push(line)
  if (digest.tail.length > TAIL_LINES * 2) digest.tail = digest.tail.slice(-TAIL_LINES)
  const entry = parsed(line)
  const at = typeof entry.at === 'string' ? Date.parse(entry.at) : Number.NaN
  if (Number.isNaN(at)) return
  if (entry.event === 'start') digest.startedAt = at
  if (entry.event !== 'document' || typeof entry.state !== 'string' || !processed.has(entry.state)) return
  digest.startedAt ??= at
  const second = Math.max(0, Math.floor((at - digest.startedAt) / 1000))
  if (second < MAX_SECONDS) digest.seconds[second] = (digest.seconds[second] ?? 0) + 1
}

function parsed(line: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(line))
  } catch {
    return {}
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
