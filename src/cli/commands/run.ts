import { runHash } from '../../ingest/run-hash.ts'
import { type RunResult, runWhole } from '../../ingest/whole-run.ts'
import { nodeWarnings, plan } from '../../pipeline/nodes.ts'
import { saysIncomplete } from '../../report.ts'
import type { CommandHandler } from '../command-handler.ts'
import { EXIT } from '../exit.ts'
import { readJobArguments } from '../job-file/job.ts'
import { openBoth, openRunnerFactory } from '../open-connectors.ts'
import { watchRun } from '../progress.ts'
import { openState } from '../state/state-file.ts'
import { summarize } from '../summary.ts'

export const runCommand: CommandHandler = async ({ args, env, terminal, registry }, signal) => {
  const job = await readJobArguments(args, env, registry)
  for (const secret of job.secrets) terminal.hide(secret)
  const { json, quiet } = args.options
  const watch = watchRun(terminal, json === true ? 'json' : quiet === true ? 'quiet' : 'people')
  for (const warning of nodeWarnings(job.nodes)) watch.warning(warning)

  const closing: (() => Promise<unknown>)[] = []
  try {
    const state = await openState(job.statePath, job.target)
    closing.push(() => state.close())
    const { source, destination, close } = await openBoth(job)
    closing.push(close)
    const runners = openRunnerFactory(job)
    closing.push(() => runners.close())
    const runner = await runners.create(plan(job.nodes))

    const { identity } = await destination.prepare({ dims: runner.embedder?.dims ?? null }, signal)
    const made = { rendition: source.rendition, vectors: runner.embedder?.identity }
    const ending = await runWhole(
      {
        ...{ source, destination, runner, ledger: state, watch },
        settingsHash: runHash(job.nodes, identity, made),
        reprocessAll: args.options['reprocess-all'] === true,
        approved: args.options['approve-deletions'] === true,
      },
      signal,
    )
    // Nothing was listed: the run could not start.
    if (ending.broken && ending.counts.discovered === 0) throw ending.broken
    watch.end()
    summarize(terminal, ending, { json: json === true, seconds: watch.seconds() })
    return isComplete(ending) ? EXIT.ok : EXIT.incomplete
  } finally {
    watch.end()
    // Closes all even if one fails; the state and its lock come last.
    for (const close of closing.reverse()) await close().catch(() => {})
  }
}

function isComplete({ counts, warnings, heldBack, complete, broken }: RunResult): boolean {
  const listedAll = complete && !saysIncomplete(warnings)
  return broken === null && listedAll && counts.failed === 0 && heldBack === 0
}
