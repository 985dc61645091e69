import type { ColumnType, Generated } from 'kysely'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { Skipped } from '../ledger-entry.ts'
import type { CheckStep, Warning } from '../report.ts'

/** The migrations explain the tables. */
export type Schema = {
  installation: { id: Generated<boolean>; key_check: string }
  workspaces: { id: string; organisation_id: string | null; name: string; created_at: Generated<Date> }
  api_keys: {
    id: string
    workspace_id: string
    name: string
    sealed: Buffer
    lookup: string
    last_four: string
    enabled: Generated<boolean>
    /** Null for the key of an unattended set-up and for deleted people. */
    created_by: string | null
    created_at: Generated<Date>
    last_used_at: Date | null
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
    reprocess_all: boolean
    swap_index: Generated<boolean>
    state: 'active' | 'inactive'
    /** A workflow recreated for the same target takes over its ledger. */
    target: string | null
    /** The index of its ledger. */
    index_name: Generated<string | null>
    index_uuid: Generated<string | null>
    swap_given_up: ColumnType<SwapGivenUp | null, never, string | null>
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
    /** `person:ID` or `key:ID`; null for schedules and for older jobs. */
    started_by: string | null
    settings: Json<JobSettings>
    /** Completely listed scopes; a value is the position at which a limit cut the listing. */
    closed_scopes: Json<Record<string, string | null>>
    listed: Generated<boolean>
    complete: Generated<boolean>
    slices: Generated<number>
    /** How often changed documents were listed again. */
    looks: Generated<number>
    /** The index the job started with; a recreated one has another identity. */
    index_identity: string | null
    /** Null until decided. */
    swap: SwapState | null
    message: string | null
    warnings: Json<Warning[]>
    held_back: Generated<number>
    removed: Generated<number>
    /** Stored once the documents no longer change. */
    counts: ColumnType<Partial<Record<DocumentState, number>> | null, never, string>
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
    slice: number | null
    state: DocumentState
    /** As listed; stored so that a repeated slice counts it the same way. */
    kind: DocumentKind
    ref: Json<DocumentRef> | null
    /** The fence of the task that claimed it last; only that task may record its outcome. */
    fence: string | null
    seen_at: Generated<Date>
    title: string
    url: string
    attempts: Generated<number>
    error_code: string | null
    error_message: string | null
    elements: number | null
    warnings: Json<DocumentWarning[]> | null
    updated_at: Generated<Date>
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
  }
  documents: {
    workflow_id: string
    record_id: string
    scope: string
    position: string
    locator: Json<Record<string, string>>
    version: string
    state_hash: string
    settings_hash: string
    element_ids: string[]
    settled: boolean
    /** The elements hold only the document's own text if this equals `fence`. */
    own_text: string | null
    /** Why it was read but not indexed. */
    skipped: Json<Skipped> | null
    fence: string
    updated_at: Generated<Date>
  }
  /** Staged indexes, at most one per workflow. */
  swaps: {
    job_id: string
    workflow_id: string
    destination_id: string
    index_name: string
    /** Null until created. */
    index_uuid: string | null
    old_name: string
    old_uuid: string
    /** The settings hash of a job that writes in place, into the old index. */
    settings_hash: string
    /** When the first request to move the alias was sent; null if none was. */
    moving_at: Date | null
    created_at: Generated<Date>
  }
  replaced_indexes: {
    destination_id: string
    name: string
    uuid: string
    workflow_id: string
    replaced_at: Generated<Date>
  }
  fences: { id: Generated<boolean>; value: string }
  embeddings: { key: Buffer; vector: Buffer; used_on: Generated<Date> }
  model_answers: { key: Buffer; answer: string; used_on: Generated<Date> }
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
  /** `made_by` is null for links created on the server. */
  password_resets: { token_hash: string; user_id: string; made_by: string | null; expires_at: Date }
}

type Json<T> = ColumnType<T, string, string>

export type Tier = 'personal' | 'business'
/** Each role includes those before it. */
export type Role = 'viewer' | 'operator' | 'developer' | 'administrator'
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
/** A failed swap of these settings; `tried` once a later job in place started. */
export type SwapGivenUp = { hash: string; job_id: string; tried: boolean }
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

/** `unchanged` and `skipped` need no processing. */
export type DocumentKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** Later edits of the workflow do not change it. */
export type JobSettings = {
  /** Null for a job of uploaded files, whose results are kept for download. */
  source_id: string | null
  destination_id: string | null
  /** Missing in jobs of earlier releases. */
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
}
