import type { Counts, DocumentFailure } from '../ingest/tally.ts'
import type { RunWatcher } from '../ingest/whole-run.ts'
import type { Warning } from '../report.ts'
import type { Terminal } from './terminal.ts'

type ProgressStyle = 'people' | 'json' | 'quiet'
type RunWatch = RunWatcher & { end(): void; seconds(): number }

/** 10 times a second on a terminal, every 5 s in a log. */
const LIVE_MS = 100
const LINE_MS = 5000
/** Later failures are only counted. */
const MAX_SHOWN = 20
const BAR_WIDTH = 20

/** Shows progress as a bar on a terminal, as lines elsewhere, or as JSON. */
export function watchRun(terminal: Terminal, style: ProgressStyle): RunWatch {
  const startedAt = performance.now()
  const isLive = terminal.isLive && style === 'people'
  let shownAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let ended = false
  const seconds = () => (performance.now() - startedAt) / 1000

  return {
    seconds,
    progress(counts, listed) {
      const now = performance.now()
      if (ended || style === 'quiet' || now - shownAt < (isLive ? LIVE_MS : LINE_MS)) return
      shownAt = now
      if (style === 'json') terminal.print(JSON.stringify({ event: 'progress', listed, counts }))
      else if (isLive)
        terminal.live(line(counts, { listed, seconds: seconds() }).slice(0, terminal.columns - 1))
      else terminal.note(line(counts, { listed, seconds: seconds() }))
    },
    failed(failure: DocumentFailure) {
      if (style === 'json') return terminal.print(JSON.stringify({ event: 'failed', ...failure }))
      if (failures++ < MAX_SHOWN) terminal.note(`failed: ${label(failure)}: ${failure.message}`)
      else if (failures === MAX_SHOWN + 1) terminal.note('failed: more documents; --json lists all of them')
    },
    warning(warning: Warning) {
      if (style === 'json') terminal.print(JSON.stringify({ event: 'warning', ...warning }))
      else terminal.note(`warning: ${warning.message}`)
    },
    end() {
      ended = true
    },
  }
}

function label({ title, record_id, url }: DocumentFailure): string {
  return title === record_id ? record_id : `"${title}" (${url || record_id})`
}

function line(counts: Counts, { listed, seconds }: { listed: boolean; seconds: number }): string {
  const { discovered, elements } = counts
  if (discovered === 0) return 'listing the source …'
  const done = counts.new + counts.changed + counts.unchanged + counts.skipped + counts.failed
  const rate = done / Math.max(seconds, 0.1)
  const progress = `${number(done)} of ${number(discovered)}${listed ? '' : '+'} documents`
  const rates = `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s, ${number(elements)} elements (${Math.round(elements / Math.max(seconds, 0.1))}/s)`
  const left = discovered > done && done > 0 ? `, ${duration((discovered - done) / rate)} left` : ''
  return `${bar(done / discovered)} ${progress}, ${rates}${left}`
}

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH)
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full)
}

export function number(value: number): string {
  return value.toLocaleString('en')
}

export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
