import { type Kysely, sql } from 'kysely'

/** Verifications and repairs run as jobs in slices; these rows are their checkpoint. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}

const statements = [
  `set local lock_timeout = '30s'`,
  `create table verifications (
    job_id uuid primary key references jobs on delete cascade,
    repairs boolean not null,
    -- Whether a person approved the removal of many documents.
    approved boolean not null,
    phase text not null default 'ledger',
    -- Where the phase continues; null at its beginning.
    cursor text,
    -- Grows with every slice, so that of two tasks only one records it.
    revision integer not null default 0,
    documents_total bigint not null default 0,
    documents_compared bigint not null default 0,
    elements_listed bigint not null default 0,
    foreign_elements bigint not null default 0,
    removed_elements bigint not null default 0,
    findings bigint not null default 0,
    repair_jobs jsonb not null default '[]',
    -- The content job that it waits for.
    waits_for uuid,
    error_code text,
    audited boolean not null default false
  )`,
  `create table verification_scopes (
    job_id uuid not null references jobs on delete cascade,
    scope_key text collate "C" not null,
    site text collate "C" not null,
    documents bigint not null,
    elements bigint not null,
    missing bigint not null,
    different bigint not null,
    extra bigint not null,
    -- Sums of 64-bit hashes.
    ledger_sum numeric not null,
    index_sum numeric not null,
    primary key (job_id, scope_key, site)
  )`,
  // Documents that differ, until they are confirmed, repaired or reported.
  `create table verification_differences (
    job_id uuid not null references jobs on delete cascade,
    record_id text collate "C" not null,
    -- The workflow whose ledger names the document; empty for elements that no ledger names.
    ledger text collate "C" not null,
    scope_key text collate "C" not null,
    totals jsonb not null,
    findings jsonb not null,
    primary key (job_id, record_id, ledger)
  )`,
]
