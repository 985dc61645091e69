import { sql } from 'kysely'
import {
  addTotals,
  type Finding,
  NO_TOTALS,
  type ScopeTotals,
  type ScopeView,
  toView,
} from '../../index-comparison.ts'
import { siteOfRecord } from '../../record-id.ts'
import type { Database } from '../database.ts'
import { storableJson } from '../storable.ts'

/** `ledger` is the workflow that names the document; empty for elements that no ledger names. */
export type DocumentFindings = {
  recordId: string
  ledger: string
  scopeKey: string
  totals: ScopeTotals
  findings: Finding[]
}

/** Added to the totals of a scope; negative numbers take back earlier ones. */
export type ScopeChange = { recordId: string; scopeKey: string; totals: ScopeTotals }

export async function addToScopes(db: Database, jobId: string, changes: ScopeChange[]): Promise<void> {
  if (changes.length === 0) return
  const bySite = new Map<string, { site: string; scope_key: string; totals: ScopeTotals }>()
  for (const { recordId, scopeKey, totals } of changes) {
    const site = siteOfRecord(recordId)
    const key = `${site}\n${scopeKey}`
    const sum = addTotals(bySite.get(key)?.totals ?? NO_TOTALS, totals)
    bySite.set(key, { site, scope_key: scopeKey, totals: sum })
  }
  const rows = [...bySite.values()].map(({ totals, ...scope }) => ({ ...scope, ...stored(totals) }))
  await sql`
    insert into verification_scopes as s
      (job_id, site, scope_key, documents, elements, missing, different, extra, ledger_sum, index_sum)
    select ${jobId}::uuid, site, scope_key, documents, elements, missing, different, extra, "ledgerSum", "indexSum"
    from jsonb_to_recordset(${storableJson(rows)}::jsonb) as added(
      site text, scope_key text, documents bigint, elements bigint, missing bigint, different bigint, extra bigint,
      "ledgerSum" numeric, "indexSum" numeric)
    on conflict (job_id, scope_key, site) do update set
      documents = s.documents + excluded.documents, elements = s.elements + excluded.elements,
      missing = s.missing + excluded.missing, different = s.different + excluded.different,
      extra = s.extra + excluded.extra, ledger_sum = s.ledger_sum + excluded.ledger_sum,
      index_sum = s.index_sum + excluded.index_sum
  `.execute(db)
}

export async function putFindings(
  db: Database,
  jobId: string,
  differences: DocumentFindings[],
): Promise<void> {
  if (differences.length === 0) return
  const rows = differences.map(({ recordId, ledger, scopeKey, totals, findings }) => {
    return { record_id: recordId, ledger, scope_key: scopeKey, totals: stored(totals), findings }
  })
  await sql`
    insert into verification_differences (job_id, record_id, ledger, scope_key, totals, findings)
    select ${jobId}::uuid, record_id, ledger, scope_key, totals, findings
    from jsonb_to_recordset(${storableJson(rows)}::jsonb)
      as added(record_id text, ledger text, scope_key text, totals jsonb, findings jsonb)
    on conflict (job_id, record_id, ledger) do update set
      scope_key = excluded.scope_key, totals = excluded.totals, findings = excluded.findings
  `.execute(db)
}

export async function dropFindings(
  db: Database,
  jobId: string,
  dropped: Pick<DocumentFindings, 'recordId' | 'ledger'>[],
): Promise<void> {
  if (dropped.length === 0) return
  const keys = dropped.map(({ recordId, ledger }) => ({ record_id: recordId, ledger }))
  await sql`
    delete from verification_differences as d
    using jsonb_to_recordset(${storableJson(keys)}::jsonb) as gone(record_id text, ledger text)
    where d.job_id = ${jobId}::uuid and d.record_id = gone.record_id and d.ledger = gone.ledger
  `.execute(db)
}

/** In the order of record ids; `after` is the last one of the page before. */
export async function listFindings(
  db: Database,
  jobId: string,
  { after = null, limit }: { after?: Pick<DocumentFindings, 'recordId' | 'ledger'> | null; limit: number },
): Promise<DocumentFindings[]> {
  const rows = await db
    .selectFrom('verification_differences')
    .selectAll()
    .where('job_id', '=', jobId)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(record_id, ledger) > (${after?.recordId}, ${after?.ledger})`),
    )
    .orderBy('record_id')
    .orderBy('ledger')
    .limit(limit)
    .execute()
  return rows.map(toFindings)
}

/** The elements of these documents that were found to be named by no ledger. */
export async function findExtraDocuments(
  db: Database,
  jobId: string,
  recordIds: string[],
): Promise<Map<string, DocumentFindings>> {
  if (recordIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('verification_differences')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('ledger', '=', '')
    .where('record_id', '=', sql<string>`any(${recordIds}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.record_id, toFindings(row)]))
}

export async function countExtraDocuments(db: Database, jobId: string): Promise<number> {
  const { count } = await db
    .selectFrom('verification_differences')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('job_id', '=', jobId)
    .where('ledger', '=', '')
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Totals by scope, over all sites. */
export async function scopeViews(db: Database, jobId: string): Promise<ScopeView[]> {
  const { rows } = await sql<Record<keyof ScopeTotals, string> & { scope_key: string }>`
    select scope_key, sum(documents) as documents, sum(elements) as elements, sum(missing) as missing,
      sum(different) as different, sum(extra) as extra, sum(ledger_sum) as "ledgerSum", sum(index_sum) as "indexSum"
    from verification_scopes where job_id = ${jobId}::uuid group by scope_key order by scope_key
  `.execute(db)
  return rows.map(({ scope_key: scopeKey, ...totals }) => toView(scopeKey, restored(totals)))
}

export async function comparedScopes(
  db: Database,
  jobId: string,
): Promise<{ site: string; scope_key: string }[]> {
  return db
    .selectFrom('verification_scopes')
    .select(['site', 'scope_key'])
    .where('job_id', '=', jobId)
    .execute()
}

function toFindings(row: {
  record_id: string
  ledger: string
  scope_key: string
  totals: Record<string, string>
  findings: Finding[]
}): DocumentFindings {
  const { record_id: recordId, ledger, scope_key: scopeKey, findings } = row
  return { recordId, ledger, scopeKey, totals: restored(row.totals), findings }
}

/** JSON has no large integers. */
function stored(totals: ScopeTotals): Record<string, string> {
  return Object.fromEntries(Object.entries(totals).map(([name, value]) => [name, String(value)]))
}

function restored(totals: Record<string, string>): ScopeTotals {
  const count = (name: keyof ScopeTotals) => Number(totals[name])
  return {
    documents: count('documents'),
    elements: count('elements'),
    missing: count('missing'),
    different: count('different'),
    extra: count('extra'),
    ledgerSum: BigInt(totals.ledgerSum ?? 0),
    indexSum: BigInt(totals.indexSum ?? 0),
  }
}
