import type { Compute } from '../compute.ts'
import type { Source } from '../connectors/source.ts'
import type { DocumentRef, Element } from '../document.ts'
import { AppError, explain } from '../errors.ts'
import { type PipelineNode, plan } from '../pipeline/nodes.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { currentRef } from './document-content.ts'
import { compareTexts, type TextChange } from './text-changes.ts'

type VersionsOf = { ref: DocumentRef; from: string; to: string }
export type TextComparison = { text: TextChange[]; problem: string | null } | { text: null; problem: string }

type VersionContext = { source: Source; nodes: PipelineNode[]; runners: RunnerFactory }

/** Compares the own text of two versions, which the source returns. Stores nothing. */
export async function compareVersions(
  { source, nodes, runners }: VersionContext,
  { ref, from, to }: VersionsOf,
  signal: AbortSignal,
): Promise<TextComparison> {
  if (!source.readVersion) return { text: null, problem: 'This source does not offer earlier versions.' }
  try {
    const runner = await runners.create(plan(nodes.filter(({ type }) => type === 'partition')))
    // Sources keep versions of documents in the trash too.
    const current = await currentRef(source, ref, signal)
    const texts: Element[][] = []
    for (const version of [from, to]) {
      const document = await source.readVersion(current, version, signal)
      texts.push((await runner.partition(document, signal)).elements)
    }
    const compute: Compute = async (task, given) => (await runners.files()).compute(task, given)
    return compared(await compareTexts(texts[0] ?? [], texts[1] ?? [], { compute, signal }))
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    return { text: null, problem: explain(error).message }
  }
}

function compared(text: TextChange[] | null): TextComparison {
  if (!text) return { text: null, problem: 'The two versions are too long to compare.' }
  const isSame = text.every(({ kind }) => kind === 'same')
  return {
    text,
    problem: isSame
      ? 'The own text of both versions is the same. Comments, images or other parts changed, of which the source keeps no earlier state.'
      : null,
  }
}
