import type { Destination } from '../../connectors/destination.ts'
import type { Source } from '../../connectors/source.ts'
import { withOpen } from '../../connectors/with-open.ts'
import { AppError, explain } from '../../errors.ts'
import type { CheckReport, CheckStep, OnSteps } from '../../report.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT } from '../exit.ts'
import { readJobOf } from '../job-file/job.ts'
import { openBoth } from '../open-connectors.ts'
import type { Terminal } from '../terminal.ts'

const MARKS: Record<CheckStep['status'], string> = {
  ok: '✓',
  failed: '✗',
  warning: '!',
  skipped: '-',
  pending: '…',
}

export const checkCommand: CommandHandler = async (input, signal) => {
  const { args, terminal } = input
  const job = await readJobOf(input)
  const json = args.options.json === true
  return withOpen(openBoth(job), async ({ source, destination }) => {
    let ok = true
    for (const [side, connector] of Object.entries({ source, destination })) {
      const print = json ? () => {} : stepPrinter(terminal, side)
      const report = await runCheck(connector, print, signal)
      ok &&= report.ok
      if (json) terminal.print(JSON.stringify({ event: 'check', side, ...report }))
      else {
        print(report.steps)
        terminal.print(report.ok ? `  the ${side} works` : `  the ${side} does not work`)
      }
    }
    return ok ? EXIT.ok : EXIT.couldNotStart
  })
}

async function runCheck(
  connector: Source | Destination,
  onSteps: OnSteps,
  signal: AbortSignal,
): Promise<CheckReport> {
  try {
    return await connector.check(signal, onSteps)
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError)) throw error
    const { message } = explain(error)
    return { ok: false, reason: message, steps: [{ name: 'check', status: 'failed', detail: message }] }
  }
}

/** Prints each step once, when it is done. */
function stepPrinter(terminal: Terminal, side: string): OnSteps {
  const printed = new Set<string>()
  terminal.print(`${side}:`)
  return (steps) => {
    for (const { name, status, detail, fix } of steps) {
      if (status === 'pending' || printed.has(name)) continue
      printed.add(name)
      terminal.print(`  ${MARKS[status]} ${name}: ${detail}`)
      if (fix && status !== 'ok') terminal.print(`      → ${fix}`)
    }
  }
}
