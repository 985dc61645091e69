/** Elements of one document that differ between ledger and index. */
export type Finding = {
  kind: 'missing' | 'different' | 'extra'
  recordId: string
  scopeKey: string
  elementIds: string[]
  why: string
}

/** Sums over documents, so the order does not matter and a part can be subtracted. */
export type ScopeTotals = {
  documents: number
  elements: number
  missing: number
  different: number
  extra: number
  /** Of 64-bit hashes. */
  ledgerSum: bigint
  indexSum: bigint
}

/** What one document adds to the totals of its scope. */
export type ComparedDocument = {
  recordId: string
  scopeKey: string
  totals: ScopeTotals
  findings: Finding[]
}

/** Equal hashes mean equal elements, versions and permissions. */
export type ScopeView = Omit<ScopeTotals, 'ledgerSum' | 'indexSum'> & {
  scopeKey: string
  ledgerHash: string
  indexHash: string
}

export const NO_TOTALS: ScopeTotals = {
  documents: 0,
  elements: 0,
  missing: 0,
  different: 0,
  extra: 0,
  ledgerSum: 0n,
  indexSum: 0n,
}

export function addTotals(a: ScopeTotals, b: ScopeTotals): ScopeTotals {
  return {
    documents: a.documents + b.documents,
    elements: a.elements + b.elements,
    missing: a.missing + b.missing,
    different: a.different + b.different,
    extra: a.extra + b.extra,
    ledgerSum: a.ledgerSum + b.ledgerSum,
    indexSum: a.indexSum + b.indexSum,
  }
}

export function subtractTotals(a: ScopeTotals, b: ScopeTotals): ScopeTotals {
  return {
    documents: a.documents - b.documents,
    elements: a.elements - b.elements,
    missing: a.missing - b.missing,
    different: a.different - b.different,
    extra: a.extra - b.extra,
    ledgerSum: a.ledgerSum - b.ledgerSum,
    indexSum: a.indexSum - b.indexSum,
  }
}

export function toView(scopeKey: string, { ledgerSum, indexSum, ...counts }: ScopeTotals): ScopeView {
  return { scopeKey, ...counts, ledgerHash: hashText(ledgerSum), indexHash: hashText(indexSum) }
}

function hashText(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString(16).padStart(16, '0')
}
