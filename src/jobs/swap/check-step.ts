import type { Destination } from '../../connectors/destination.ts'
import type { Source } from '../../connectors/source.ts'
import type { CheckReport } from '../../report.ts'
import type { Database } from '../../store/database.ts'
import { workflowsUsing } from '../../store/workflows/workflows.ts'

/** Adds a step about swaps, if a workflow swaps here. */
export async function addSwapStep(
  report: CheckReport,
  { db, connectorId, opened }: { db: Database; connectorId: string; opened: Source | Destination },
  signal: AbortSignal,
): Promise<CheckReport> {
  if (!report.ok || !('swap' in opened) || !opened.swap) return report
  const swaps = (await workflowsUsing(db, connectorId)).some((workflow) => workflow.swap_index)
  return swaps ? { ...report, steps: [...report.steps, await opened.swap.check(signal)] } : report
}
