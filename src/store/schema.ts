import type { ColumnType, Generated } from 'kysely'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { ErrorCode } from '../errors.ts'
import type { Finding } from '../index-comparison.ts'
import type { Skipped } from '../ledger-entry.ts'
import type { StoredAccess, StoredLevel } from '../permissions/levels.ts'
import type { MeasuredStage } from '../process-metrics.ts'
import type { CheckStep, Warning } from '../report.ts'

/** The migrations explain the tables. */
export type Schema = {
  installation: { id: Generated<boolean>; key_check: string; derived_keys: Generated<Buffer | null> }
  master_keys: { id: string; key_check: string; created_at: Generated<Date> }
  master_key_holders: { id: string; process: string; key_check: string; seen_at: Generated<Date> }
  workspaces: {
    id: string
    organisation_id: string | null
    name: string
    created_at: Generated<Date>
    /** Whether people who sign in with the identity provider join as readers. */
    admits_readers: Generated<boolean>
    /** Nobody reaches it; its rows are being deleted. */
    closed_at: ColumnType<Date | null, never, Date>
  }
  api_keys: {
    id: string
    workspace_id: string
    name: string
    /** Null for personal tokens. */
    sealed: Buffer | null
    lookup: string
    last_four: string
    enabled: Generated<boolean>
    /** Null for the key of an unattended set-up and for deleted people. */
    created_by: string | null
    created_at: Generated<Date>
    last_used_at: Date | null
    scope: Generated<KeyRole>
    /** Empty means all destinations of the workspace. */
    destination_ids: Generated<string[]>
    may_impersonate: Generated<boolean>
    expires_at: Date | null
    /** The person of a personal token. */
    person_id: string | null
  }
  connectors: {
    id: string
    workspace_id: string
    kind: 'source' | 'destination'
    type: string
    name: string
    /** Without secrets, under our field names. */
    config: Json<Record<string, unknown>>
    secrets: Buffer | null
    /** Type and field names of the creating request, if they differ from ours. */
    wire: Json<WireNames>
    /** Grows when the site or the account of a source changes: what was read before is not stored any more. */
    revision: Generated<number>
    created_at: Generated<Date>
    updated_at: Date | null
  }
  connection_checks: {
    id: string
    connector_id: string
    status: CheckStatus
    reason: string | null
    steps: Json<CheckStep[]>
    created_at: Generated<Date>
    reported_at: Date | null
  }
  workflows: {
    id: string
    workspace_id: string
    name: string
    source_id: string | null
    destination_id: string | null
    workflow_type: string
    nodes: Json<WorkflowNodeRow[]>
    schedule: string | null
    schedule_timezone: Generated<string>
    /** When the schedule starts it next; null without one, while inactive, and before the first look. */
    next_run_at: Generated<Date | null>
    /** The last estimate of a run. */
    estimate: ColumnType<RunEstimate | null, never, string | null>
    reprocess_all: boolean
    swap_index: Generated<boolean>
    state: 'active' | 'inactive'
    /** A workflow recreated for the same target takes over its ledger. */
    target: string | null
    /** The ledger of the searched index. */
    ledger_id: Generated<string>
    swap_given_up: ColumnType<SwapGivenUp | null, never, string | null>
    /** How often permissions are read; null for never. */
    permissions_minutes: Generated<number | null>
    /** Older permissions are hidden from search; null for no limit. */
    max_permission_age_hours: Generated<number | null>
    /** Older permissions are hidden in the index too. */
    hide_in_index_after_hours: Generated<number | null>
    /** When the next permission pass starts. */
    permissions_due_at: Generated<Date>
    /** A pass is due at once, whatever the schedule. */
    pass_requested: Generated<boolean>
    created_at: Generated<Date>
    updated_at: Date | null
    deleted_at: Date | null
  }
  jobs: {
    id: string
    workspace_id: string
    workflow_id: string
    workflow_name: string
    status: JobStatus
    processing_status: ProcessingStatus
    job_type: JobType
    kind: Generated<JobKind>
    /** `person:ID` or `key:ID`; null for schedules. */
    started_by: string | null
    settings: Json<JobSettings>
    /** What was expected before it started; null if it was not estimated. */
    estimate: ColumnType<RunEstimate | null, string | null | undefined, never>
    listed: Generated<boolean>
    complete: Generated<boolean>
    /** How many content tasks were sent. */
    slices: Generated<number>
    /** How often changed documents were listed again. */
    listing_round: Generated<number>
    /** The index the job started with; a recreated one has another identity. */
    index_identity: string | null
    /** The settings hash that the job started with. */
    settings_hash: Generated<string | null>
    /** Null until decided. */
    swap: SwapState | null
    message: string | null
    /** Why it failed. */
    error_code: ErrorCode | null
    /** Milliseconds of work by step; parallel tasks add up. */
    step_ms: ColumnType<Partial<Record<MeasuredStage, number>>, never, never>
    warnings: Json<Warning[]>
    held_back: Generated<number>
    removed: Generated<number>
    /** False once the document rows are pruned. */
    documents_kept: Generated<boolean>
    created_at: Generated<Date>
    started_at: Date | null
    finished_at: Date | null
  }
  job_documents: {
    job_id: string
    record_id: string
    scope: string
    state: StoredState
    /** As listed; stored so that a repeated task counts it the same way. */
    kind: DocumentKind
    /** Where it is or failed; null if it waits to be read, or ended well. */
    stage: string | null
    ref: Json<DocumentRef> | null
    /** The fence of the last claim; only its task may record the outcome. */
    fence: string | null
    task: string | null
    seen_at: Generated<Date>
    title: string
    url: string
    attempts: Generated<number>
    /** How often its process died: the first time perhaps because of another document. */
    deaths: Generated<number>
    error_code: string | null
    error_message: string | null
    elements: number | null
    warnings: Json<DocumentWarning[]> | null
    updated_at: Generated<Date>
  }
  job_scopes: {
    job_id: string
    scope: string
    position: string | null
    as_of: Date
    unchanged: Generated<number>
    outdated: Generated<boolean>
    ended: Generated<boolean>
    up_to: string | null
  }
  job_counts: {
    job_id: string
    state: StoredState
    documents: string
    processed: Generated<string>
    elements: Generated<string>
  }
  /** Documents by stage, for those that have one; kept by triggers. */
  job_stages: {
    job_id: string
    stage: string
    state: StoredState
    documents: string
  }
  /** The checkpoint of a job that verifies or repairs an index. */
  verifications: {
    job_id: string
    repairs: boolean
    /** Whether a person approved the removal of many documents. */
    approved: boolean
    phase: Generated<VerificationPhase>
    /** Where the phase continues; null at its beginning. */
    cursor: string | null
    /** Grows with every slice, so that of two tasks only one records it. */
    revision: Generated<number>
    documents_total: Generated<string>
    documents_compared: Generated<string>
    elements_listed: Generated<string>
    foreign_elements: Generated<string>
    removed_elements: Generated<string>
    findings: Generated<string>
    repair_jobs: ColumnType<{ id: string; workflow_id: string }[], never, string>
    /** The content job that it waits for. */
    waits_for: string | null
    error_code: string | null
    audited: Generated<boolean>
  }
  verification_scopes: {
    job_id: string
    scope_key: string
    site: string
    documents: string
    elements: string
    missing: string
    different: string
    extra: string
    ledger_sum: string
    index_sum: string
  }
  /** Documents that differ, until they are confirmed, repaired or reported. */
  verification_differences: {
    job_id: string
    record_id: string
    /** The workflow whose ledger names the document; empty for elements that no ledger names. */
    ledger: string
    scope_key: string
    totals: Json<Record<string, string>>
    findings: Json<Finding[]>
  }
  uploads: {
    job_id: string
    file_id: string
    place: number
    filename: string
    /** Deleted when the job ends. */
    content: Buffer | null
  }
  outputs: {
    job_id: string
    file_id: string
    node_id: string
    place: number
    /** Deflated JSON. */
    elements: Buffer
    created_at: Generated<Date>
    /** Set by the database. */
    workspace_id: Generated<string>
  }
  upload_usage: {
    workspace_id: string
    /** Triggers of `outputs` keep it. */
    output_bytes: Generated<string>
  }
  /** What Millrace has written to one index. Every workflow has one for the searched index, a swap adds another. */
  ledgers: {
    id: Generated<string>
    workflow_id: string
    /** Null if the destination names the index itself. */
    index_name: string | null
    /** Null until the index is known. */
    index_uuid: string | null
    /** When a swap replaced the index; its documents are gone then. */
    replaced_at: Date | null
    /** Where the replaced index can be deleted; null until then. */
    destination_id: string | null
  }
  documents: {
    ledger_id: string
    record_id: string
    scope: string
    position: string
    locator: Json<Record<string, string>>
    version: string
    state_hash: string
    settings_hash: string
    element_ids: string[]
    settled: boolean
    /** Of the written permissions; null while they are unknown. */
    access_hash: string | null
    /** Of the written metadata, such as title and labels; null while it is unknown. */
    metadata_hash: string | null
    /** Why it was read but not indexed. */
    skipped: Json<Skipped> | null
    fence: string
    updated_at: Generated<Date>
  }
  /** How many requests a process may send to a site at once. */
  site_leases: { site: string; process: string; wanted: number; granted: number; seen_at: Date }
  /** Until when no process sends requests to a site, because the site refused one. */
  site_pauses: { site: string; reason: string; until: Date }
  /** Documents below the same permission levels share a row. */
  permission_sets: {
    id: Generated<string>
    workflow_id: string
    key: string
    access: Json<StoredAccess>
    hash: string
    revision: Generated<string>
    /** All documents of the set hold this revision in the index. */
    written_revision: Generated<string>
    /** When reading of these permissions began. */
    as_of: Date
  }
  /** What the index should hold, by the newest listing. */
  wanted_documents: {
    workflow_id: string
    record_id: string
    scope: string
    position: string
    version: string
    /** Everything but body and permissions. */
    ref: Json<Omit<DocumentRef, 'access'>>
    /** Of the metadata in `ref`, such as title and labels. */
    metadata_hash: string
    set_id: string
    /** Why no one may find it. */
    hidden: HiddenReason | null
    /** Whether the index may differ from this row. A change of the set itself shows in its `written_revision`. */
    needs_permission_write: Generated<boolean>
    /** When it was read apart from its scope; older listings do not change its permissions. */
    relisted_at: Date | null
  }
  /** Permissions as they were written, for the history of documents. */
  past_permissions: {
    id: Generated<string>
    workflow_id: string
    key: string
    hash: string
    levels: Json<StoredLevel[]>
  }
  /** The last versions of each document. */
  document_versions: {
    id: Generated<string>
    workflow_id: string
    record_id: string
    version: string
    permissions_id: string
    /** A hash of scope and ancestors. */
    place: string
    job_id: string | null
    seen_at: Generated<Date>
  }
  workflow_scopes: {
    workflow_id: string
    scope: string
    /** When the newest listing of the scope began; older listings change no permissions. */
    listed_at: Date
    /** When the newest listing that reached the end of the scope began. */
    proved_at: Date | null
    /** When its documents were hidden in the index for their age. */
    hidden_at: Date | null
  }
  /** Groups and classes of people, so that search works while a source is unreachable. */
  memberships: {
    source_id: string
    person: string
    known: Json<unknown>
    read_at: Date
    used_on: Generated<Date>
  }
  /** Display names of people and groups of a source. */
  principal_names: {
    workspace_id: string
    site: string
    kind: 'user' | 'group'
    id: string
    name: string | null
    read_at: Date
  }
  /** What a source decided about permissions with many requests. */
  source_decisions: {
    source_id: string
    /** Empty for the whole source. */
    scope: string
    key: string
    value: Json<unknown>
    checked_at: Date
  }
  /** Staged indexes, at most one per workflow. */
  swaps: {
    job_id: string
    workflow_id: string
    /** Of the staged index. */
    ledger_id: string
    destination_id: string
    /** The settings hash that the job would have without the swap: it includes the identity of the old index. */
    settings_hash: string
    /** When the first request to move the alias was sent; null if none was. */
    moving_at: Date | null
    created_at: Generated<Date>
  }
  fences: { id: Generated<boolean>; value: string }
  /** Changes when the database was restored or failed over. */
  ledger_epoch: { id: Generated<boolean>; epoch: Generated<string>; server: string }
  /** The highest fence that was given to the control document of a workflow. */
  control_documents: { workflow_id: string; fence: string }
  leases: { name: string; owner: string; until: Date }
  /** Elements that left an index, for a day. */
  removed_elements: {
    id: Generated<string>
    ledger_id: string
    record_id: string
    element_ids: string[]
    fence: string
    removed_at: Generated<Date>
    due_at: Generated<Date>
  }
  embeddings: { key: Buffer; vector: Buffer; used_on: Generated<Date> }
  model_answers: { key: Buffer; answer: string; used_on: Generated<Date> }
  model_tokens: { workspace_id: string; day: Date; tokens: string }
  audit: {
    id: Generated<string>
    workspace_id: string
    at: Generated<Date>
    actor: string
    action: string
    subject: Json<object>
  }
  auth_users: {
    id: Generated<string>
    name: string
    email: string
    email_verified: Generated<boolean>
    image: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  auth_sessions: {
    id: Generated<string>
    user_id: string
    token: string
    ip_address: string | null
    user_agent: string | null
    expires_at: Date
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  auth_accounts: {
    id: Generated<string>
    user_id: string
    provider_id: string
    account_id: string
    password: string | null
    access_token: string | null
    refresh_token: string | null
    id_token: string | null
    access_token_expires_at: Date | null
    refresh_token_expires_at: Date | null
    scope: string | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  auth_verifications: {
    id: Generated<string>
    identifier: string
    value: string
    expires_at: Date
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  organisations: { id: string; tier: Tier; name: string | null; created_at: Generated<Date> }
  organisation_members: { organisation_id: string; user_id: string; is_administrator: boolean }
  workspace_members: { workspace_id: string; user_id: string; role: Role; joined_at: Generated<Date> }
  invitations: {
    id: string
    workspace_id: string
    email: string
    role: Role
    token_hash: string
    invited_by: string | null
    created_at: Generated<Date>
    expires_at: Date
  }
  setup_links: { token_hash: string; expires_at: Date }
  identity_settings: {
    workspace_id: string
    issuer: string
    audience: string
    /** Null if the issuer's metadata names it. */
    jwks_url: string | null
    claim: string
    mapping: IdentityMapping
    trust_email: boolean
    updated_at: Generated<Date>
  }
  /** Which account a person has in a source. */
  identities: {
    id: Generated<string>
    workspace_id: string
    source_id: string
    kind: IdentityKind
    value: string
    account: string
    origin: IdentityOrigin
    created_at: Generated<Date>
  }
  /** The accounts that the newest complete reading of a source showed. */
  source_accounts: { source_id: string; account: string; name: string | null }
  identity_fills: {
    source_id: string
    tried_at: Date
    /** Null until a reading was complete. */
    read_at: Date | null
    accounts: number | null
    emails: number | null
  }
  /** Values of tokens that matched no account. */
  unmatched_claims: {
    workspace_id: string
    source_id: string
    kind: 'email' | 'claim'
    value: string
    seen_at: Generated<Date>
  }
  /** `made_by` is null for links created on the server. */
  password_resets: { token_hash: string; user_id: string; made_by: string | null; expires_at: Date }
  notifications: {
    id: string
    sequence: Generated<string>
    workspace_id: string
    workflow_id: string | null
    event_type: string
    payload: Json<Record<string, unknown>>
    created_at: Generated<Date>
  }
  /** `reader` is `person:ID`, or `key` for all API keys of the workspace. */
  notification_reads: { notification_id: string; reader: string }
  notification_channels: {
    id: string
    workspace_id: string
    /** Null for events of the whole workspace. */
    workflow_id: string | null
    url: string
    description: string | null
    event_types: string[]
    enabled: boolean
    disabled_reason: 'gone' | 'failing' | null
    secret: Buffer
    /** The secret before the last rotation; it also signs until then. */
    old_secret: Buffer | null
    old_secret_until: Date | null
    /** The first failure after the last success. */
    failing_since: Date | null
    /** The receiver asked for a pause. */
    paused_until: Date | null
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  webhook_deliveries: {
    id: string
    sequence: Generated<string>
    channel_id: string
    workspace_id: string
    event_type: string
    body: string
    status: Generated<'pending' | 'delivered' | 'failed'>
    attempts: Generated<number>
    max_attempts: number
    response_status: number | null
    error: string | null
    next_attempt_at: Generated<Date | null>
    last_attempt_at: Date | null
    created_at: Generated<Date>
  }
  /** States that last, so that each is reported once until it ends. */
  notice_conditions: {
    event_type: string
    subject: string
    workspace_id: string
    since: Generated<Date>
    failures: Generated<number>
  }
}

type Json<T> = ColumnType<T, string, string>

export type Tier = 'personal' | 'business'
/** What the claim of a token is: an account id, an address, or a value of the identity table. */
export type IdentityMapping = 'account_id' | 'email' | 'table'
export type IdentityKind = 'email' | 'claim' | 'member'
/** `source` rows are replaced by each complete reading; `link` rows were proved by the person. */
export type IdentityOrigin = 'import' | 'source' | 'link'
/** What an API key may do: all that keys may, or only search and read. */
export type KeyRole = 'full' | 'search'
/** Each role includes those before it. */
export type Role = 'reader' | 'viewer' | 'operator' | 'developer' | 'administrator'
export type WireNames = { type: string; fields: Record<string, string> }
export type WorkflowNodeRow = {
  id: string
  name: string
  type: string
  subtype: string
  settings: Record<string, unknown> | null
}
export type CheckStatus = 'SCHEDULED' | 'SUCCESS' | 'FAILURE'
export type JobStatus = 'SCHEDULED' | 'IN_PROGRESS' | 'COMPLETED' | 'STOPPED' | 'FAILED'
export type ProcessingStatus =
  | 'SCHEDULED'
  | 'IN_PROGRESS'
  | 'SUCCESS'
  | 'COMPLETED_WITH_ERRORS'
  | 'STOPPED'
  | 'FAILED'
/** `staged` ends as `swapped` or `discarded`. */
export type SwapState = 'in_place' | 'staged' | 'swapped' | 'discarded'
/** A failed swap with these settings. `tried`: a later job started in place, so a person may request a swap. */
export type SwapGivenUp = { hash: string; job_id: string; tried: boolean }
/** `permissions` jobs read no body and add no document. `verify` jobs belong to a destination: its id is their `workflow_id`. */
export type JobKind = 'content' | 'permissions' | 'verify'
/**
 * `ledger`: compares entries with the index. `index`: looks for elements that no ledger names. `confirm`: compares
 * what differs once more. `repair` and `start`: removes extra elements, and starts jobs for the rest.
 */
export type VerificationPhase = 'ledger' | 'index' | 'confirm' | 'repair' | 'start' | 'done'
/** What a run is expected to read; null where neither the source nor earlier runs say. */
export type RunEstimate = {
  at: string
  documents: number | null
  by_scope: { scope: string; name: string; documents: number | null }[]
  /** Whether a limit leaves documents out. */
  limited: boolean
  elements: number | null
  seconds: number | null
  basis: { runs: number; documents: number }
}
/**
 * `unlisted`: the newest listing of its scope did not show it. `unproved`: found only by a listing that is older than the newest of its scope. `stale`: permissions older than
 * `hide_in_index_after_hours`.
 */
export type HiddenReason = 'unlisted' | 'unreadable' | 'unproved' | 'stale'
export type JobType = 'ephemeral' | 'persistent' | 'scheduled' | 'template'
export type DocumentState =
  | 'pending'
  | 'in_progress'
  | 'new'
  | 'changed'
  | 'permissions_only'
  | 'unchanged'
  | 'skipped'
  | 'failed'
  | 'removed'

/** `deferred`: waits to be listed again; counts as pending. */
export type StoredState = DocumentState | 'deferred'

/** `unchanged` and `skipped` need no processing. */
export type DocumentKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** Later edits of the workflow do not change it. */
export type JobSettings = {
  /** Null for a job of uploaded files, whose results are kept for download. */
  source_id: string | null
  destination_id: string | null
  /** Missing without a connector. */
  source_type?: string
  destination_type?: string
  nodes: WorkflowNodeRow[]
  reprocess_all: boolean
  /** Reprocess everything into a new index behind the alias. */
  swap_index?: true
  /** Process only the failed documents of this job. */
  retry_of?: string
  /** Process only documents whose elements differ from the ledger. */
  repair?: true
  /** Remove all elements of the deleted workflow that are not newer than the fence. */
  remove_elements?: true
  remove_fence?: number
}
