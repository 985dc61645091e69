import { runPermissionsOnly } from '../../ingest/permissions-only.ts'
import { runHash } from '../../ingest/run-hash.ts'
import { type RunResult, runWhole } from '../../ingest/whole-run.ts'
import { nodeWarnings, plan } from '../../pipeline/nodes.ts'
import { isListingIncomplete } from '../../report.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT } from '../exit.ts'
import { readJobOf } from '../job-file/job.ts'
import { openBoth, openRunnerFactory } from '../open-connectors.ts'
import { watchRun } from '../progress.ts'
import { openState } from '../state/state-file.ts'
import { summarize } from '../summary.ts'

export const runCommand: CommandHandler = async (input, signal) => {
  const { args, terminal } = input
  const job = await readJobOf(input)
  const { json, quiet } = args.options
  const watch = watchRun(terminal, json === true ? 'json' : quiet === true ? 'quiet' : 'people')
  for (const warning of nodeWarnings(job.nodes)) watch.warning(warning)

  const closing: (() => Promise<unknown>)[] = []
  try {
    const state = await openState(job.statePath, job.target)
    closing.push(() => state.close())
    const { source, destination, close } = await openBoth(job, { decisions: state.decisions })
    closing.push(close)
    const end = (result: RunResult) => {
      // Nothing was listed: the run could not start.
      if (result.failure && result.counts.discovered === 0) throw result.failure
      watch.end()
      summarize(terminal, result, { json: json === true, seconds: watch.seconds() })
      return isComplete(result) ? EXIT.ok : EXIT.incomplete
    }
    if (args.options['permissions-only'] === true)
      return end(await runPermissionsOnly({ source, destination, ledger: state, watch }, signal))
    const runners = openRunnerFactory(job)
    closing.push(() => runners.close())
    const runner = await runners.create(plan(job.nodes))

    const { identity } = await destination.prepare({ dims: runner.embedder?.dims ?? null }, signal)
    const inputs = { rendition: source.rendition, vectors: runner.embedder?.identity }
    const result = await runWhole(
      {
        source,
        destination,
        runner,
        ledger: state,
        watch,
        settingsHash: runHash(job.nodes, identity, inputs),
        reprocessAll: args.options['reprocess-all'] === true,
        approved: args.options['approve-deletions'] === true,
      },
      signal,
    )
    return end(result)
  } finally {
    watch.end()
    // Closes all even if one fails; the state and its lock come last.
    for (const close of closing.reverse()) await close().catch(() => {})
  }
}

function isComplete({ counts, warnings, heldBack, complete, failure }: RunResult): boolean {
  const listedAll = complete && !isListingIncomplete(warnings)
  return failure === null && listedAll && counts.failed === 0 && heldBack === 0
}
