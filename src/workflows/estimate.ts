import type { ScopeChoice } from '../connectors/source.ts'
import type { Experience } from '../store/jobs/workflow-runs.ts'
import type { RunEstimate } from '../store/schema.ts'

/** What the settings of a source read: chosen scopes, and limits. Null for no limit. */
type SourceLimits = { chosen: string[]; scopes: number | null; documents: number | null }

type FieldSchema = { widget?: unknown; limits?: unknown; default?: unknown }

/** Read from what the connector type declares about its fields. */
export function limitsOf(schema: Record<string, unknown>, config: Record<string, unknown>): SourceLimits {
  const fields = Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>)
  const setting = (matches: (field: FieldSchema) => boolean): unknown => {
    const found = fields.find(([, field]) => matches(field))
    return found && (config[found[0]] ?? found[1].default)
  }
  const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
  const chosen = setting(({ widget }) => widget === 'scopes')
  return {
    chosen: Array.isArray(chosen) ? chosen.map(String) : [],
    scopes: numberOf(setting(({ limits }) => limits === 'scopes')),
    documents: numberOf(setting(({ limits }) => limits === 'documents')),
  }
}

export type EstimateFrom = {
  scopes: ScopeChoice[]
  limits: SourceLimits
  experience: Experience
  /** Documents that earlier runs found, by scope. */
  known: ReadonlyMap<string, number>
}

/** What the next run will read, as far as the source and earlier runs say. */
export function estimateRun({ scopes, limits, experience, known }: EstimateFrom, at: Date): RunEstimate {
  const chosen = limits.chosen.length > 0 ? scopes.filter(({ key }) => limits.chosen.includes(key)) : scopes
  const read = chosen.slice(0, limits.scopes ?? chosen.length)
  const counted = read.map(({ key, name, documents }) => ({
    scope: key,
    name,
    all: documents ?? known.get(key) ?? null,
  }))
  const byScope = counted.map(({ all, ...scope }) => ({
    ...scope,
    documents: limited(all, limits.documents),
  }))
  const documents = sumOf(byScope.map((each) => each.documents))
  const perDocument = experience.documents > 0 ? experience.elements / experience.documents : null
  return {
    at: at.toISOString(),
    documents,
    by_scope: byScope,
    limited: chosen.length > read.length || counted.some(({ all }) => all !== limited(all, limits.documents)),
    elements: documents === null || perDocument === null ? null : Math.round(documents * perDocument),
    seconds: experience.medianSeconds,
    basis: { runs: experience.runs, documents: experience.documents },
  }
}

function limited(documents: number | null, limit: number | null): number | null {
  return documents === null || limit === null ? documents : Math.min(documents, limit)
}

/** Null if one of them is unknown. */
function sumOf(counts: (number | null)[]): number | null {
  return counts.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0 as number | null)
}
