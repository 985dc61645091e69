/** A summary of a log, which may have 100,000 lines. */
export type LogSummary = {
  /** Milliseconds by the service's clock. */
  startedAt: number | undefined
  /** Documents processed in each second; the log omits unchanged ones. */
  seconds: number[]
}

// A day; a wrong clock must not allocate a billion entries.
const MAX_SECONDS = 86_400

export async function summarizeLog(text: AsyncIterable<string>): Promise<LogSummary> {
  const summary: LogSummary = { startedAt: undefined, seconds: [] }
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) addLine(summary, line)
  }
  addLine(summary, rest)
  return summary
}

const processed = new Set(['new', 'changed', 'permissions_only', 'skipped', 'failed'])

function addLine(summary: LogSummary, line: string): void {
  if (!line) return
  const entry = parsed(line)
  const at = typeof entry.at === 'string' ? Date.parse(entry.at) : Number.NaN
  if (Number.isNaN(at)) return
  if (entry.event === 'start') summary.startedAt = at
  if (entry.event !== 'document' || typeof entry.state !== 'string' || !processed.has(entry.state)) return
  summary.startedAt ??= at
  const second = Math.max(0, Math.floor((at - summary.startedAt) / 1000))
  if (second < MAX_SECONDS) summary.seconds[second] = (summary.seconds[second] ?? 0) + 1
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
