import type { Scope } from '../connectors/types.ts'

export type RunLimits = { scopes: number | null; documents: number | null }

/** `unknown` counts scopes whose number of documents the source does not say. */
export type ReadEstimate = {
  scopes: number
  documents: number
  leftOut: number
  scopesLeftOut: number
  unknown: number
  /** The limit of documents that leaves none out. */
  needed: number
}

/** What a run reads of the chosen scopes; null means all. */
export function estimateRun(all: Scope[], chosen: string[] | null, limits: RunLimits): ReadEstimate {
  const selected = chosen ? all.filter(({ key }) => chosen.includes(key)) : all
  const known = selected.flatMap(({ documents }) => (documents === null ? [] : [documents]))
  const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0)
  const limit = limits.documents ?? Number.POSITIVE_INFINITY
  const read = sum(known.map((documents) => Math.min(documents, limit)))
  const scopes = Math.min(selected.length, limits.scopes ?? Number.POSITIVE_INFINITY)
  return {
    scopes,
    documents: read,
    leftOut: sum(known) - read,
    scopesLeftOut: selected.length - scopes,
    unknown: selected.length - known.length,
    needed: Math.max(0, ...known),
  }
}
