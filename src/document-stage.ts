/** A step of the pipeline before embedding. */
export type WorkStage = 'partition' | `enrich:${number}` | 'chunk'

/** Where a document of a job is, or where it failed. `permissions`: the index gets them without reading the text. */
export type DocumentStage = 'read' | WorkStage | 'embed' | 'write' | 'permissions'

/** The stage of each node, in order. */
export function stagesOfNodes(nodes: readonly { type: string }[]): DocumentStage[] {
  let enriched = 0
  return nodes.map(({ type }): DocumentStage => {
    if (type === 'prompter') return `enrich:${enriched++}`
    return type === 'chunk' || type === 'embed' ? type : 'partition'
  })
}

/** The step that a stage belongs to: enrichments are one step. */
export function stepOf(stage: DocumentStage): Exclude<DocumentStage, `enrich:${number}`> | 'enrich' {
  return stage.startsWith('enrich:') ? 'enrich' : (stage as Exclude<DocumentStage, `enrich:${number}`>)
}

/** Compares stages by their order in a pipeline. */
export function stageOrder(stage: string): number {
  if (stage.startsWith('enrich:')) return 2 + Number(stage.slice('enrich:'.length)) / MAX_ENRICHMENTS
  return ORDER[stage] ?? 0
}

// More than a pipeline has nodes.
const MAX_ENRICHMENTS = 1000
const ORDER: Record<string, number> = { read: 0, partition: 1, chunk: 3, embed: 4, write: 5, permissions: 5 }
