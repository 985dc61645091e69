import type { CheckReport, Destination, Source } from '../../connectors/connector.ts'
import type { Database } from '../../store/database.ts'
import { workflowsUsing } from '../../store/workflows/workflows.ts'

/** Adds the step about swaps to a check, where a workflow of this destination swaps. */
export async function addSwapStep(
  report: CheckReport,
  { db, connectorId, opened }: { db: Database; connectorId: string; opened: Source | Destination },
  signal: AbortSignal,
): Promise<CheckReport> {
  if (!report.ok || !('swap' in opened) || !opened.swap) return report
  const swaps = (await workflowsUsing(db, connectorId)).some((workflow) => workflow.swap_index)
  return swaps ? { ...report, steps: [...report.steps, await opened.swap.check(signal)] } : report
}
