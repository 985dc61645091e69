import type { CheckReport, CheckStep } from '../connectors/connector.ts'
import { AppError, explain } from '../errors.ts'
import type { Work } from './command-line.ts'
import { EXIT } from './exit.ts'
import { readJob } from './job.ts'
import { openBoth } from './opening.ts'
import type { Terminal } from './terminal.ts'

const MARKS: Record<CheckStep['status'], string> = { ok: '✓', failed: '✗', warning: '!', skipped: '-' }

export const check: Work = async ({ args, env, terminal }, signal) => {
  const job = await readJob(args, env)
  for (const secret of job.secrets) terminal.hide(secret)
  const { source, destination, close } = await openBoth(job)
  const json = args.options.json === true
  try {
    let ok = true
    for (const [side, end] of [
      ['source', source],
      ['destination', destination],
    ] as const) {
      const report = await reportOf(end, signal)
      ok &&= report.ok
      if (json) terminal.say(JSON.stringify({ event: 'check', side, ...report }))
      else show(terminal, side, report)
    }
    return ok ? EXIT.well : EXIT.couldNotStart
  } finally {
    await close()
  }
}

async function reportOf(
  end: { check(signal: AbortSignal): Promise<CheckReport> },
  signal: AbortSignal,
): Promise<CheckReport> {
  try {
    return await end.check(signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    const { message } = explain(error)
    return { ok: false, reason: message, steps: [{ name: 'check', status: 'failed', detail: message }] }
  }
}

function show(terminal: Terminal, side: string, { ok, steps }: CheckReport): void {
  terminal.say(`${side}: ${ok ? 'well' : 'does not work yet'}`)
  for (const { name, status, detail, fix } of steps) {
    terminal.say(`  ${MARKS[status]} ${name}: ${detail}`)
    if (fix && status !== 'ok') terminal.say(`      → ${fix}`)
  }
}
