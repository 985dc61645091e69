import type { ColumnType, Generated } from 'kysely'
import type { DocumentRef, DocumentWarning } from '../document.ts'
import type { Skipped } from '../ledger-entry.ts'
import type { CheckStep, Warning } from '../report.ts'

/** The tables as TypeScript sees them; the migrations say what they are and why. */
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
    /** Null for the key of an unattended set-up, and where its maker is not here any more. */
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
    /** Settings without secrets, by our field names. */
    config: Json<Record<string, unknown>>
    secrets: Buffer | null
    /** The names it was created with, where they are not ours: `{ type, fields: { ours: theirs } }`. */
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
    /** What it writes where; a workflow made again for the same target takes over its ledger. */
    target: string | null
    /** The index that its ledger is of. */
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
    /** `person:ID` or `key:ID`; null for a schedule, and for runs of before it was kept. */
    started_by: string | null
    settings: Json<JobSettings>
    /** Scopes whose listing reached its end; a value is the position a limit cut it at. */
    closed_scopes: Json<Record<string, string | null>>
    listed: Generated<boolean>
    complete: Generated<boolean>
    slices: Generated<number>
    /** How often documents that changed meanwhile were listed again. */
    looks: Generated<number>
    /** The index the run began with; another one under the same name is not it. */
    index_identity: string | null
    /** Null until it is decided. */
    swap: SwapState | null
    message: string | null
    warnings: Json<Warning[]>
    held_back: Generated<number>
    removed: Generated<number>
    /** What became of its documents, once nothing of it changes any more. */
    counts: ColumnType<Partial<Record<DocumentState, number>> | null, never, string>
    /** Whether its documents are still there one by one. */
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
    /** What the listing found it to be; kept so that doing a slice again counts it the same. */
    kind: DocumentKind
    ref: Json<DocumentRef> | null
    /** Of the task that took it last; only that one may say what became of it. */
    fence: string | null
    seen_at: Generated<Date>
    title: string
    url: string
    attempts: Generated<number>
    error_code: string | null
    error_message: string | null
    elements: number | null
    /** What could not be taken along with it. */
    warnings: Json<DocumentWarning[]> | null
    updated_at: Generated<Date>
  }
  uploads: {
    job_id: string
    file_id: string
    place: number
    filename: string
    /** Only until the run has ended. */
    content: Buffer | null
  }
  outputs: {
    job_id: string
    file_id: string
    node_id: string
    place: number
    /** JSON, deflated. */
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
    /** Its elements hold its own text only where this is `fence`. */
    own_text: string | null
    /** Why nothing of it is in the index, where it was read and left out for what it is. */
    skipped: Json<Skipped> | null
    fence: string
    updated_at: Generated<Date>
  }
  /** New indexes that runs are filling, one for each workflow at most. */
  swaps: {
    job_id: string
    workflow_id: string
    destination_id: string
    index_name: string
    /** Null until it is made. */
    index_uuid: string | null
    old_name: string
    old_uuid: string
    /** Of a run in place, into the old one. */
    settings_hash: string
    /** When the alias was first asked to move; null while no such request can be under way. */
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
  /** Nobody in `made_by` is whoever has the machine itself. */
  password_resets: { token_hash: string; user_id: string; made_by: string | null; expires_at: Date }
}

type Json<T> = ColumnType<T, string, string>

export type Tier = 'personal' | 'business'
/** What somebody may do in a workspace; each includes those before it. */
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
/** `swapped` and `discarded` are how `staged` ends. */
export type SwapState = 'in_place' | 'staged' | 'swapped' | 'discarded'
/** A swap for these settings that ended short; `tried` once a run in place was begun since. */
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

/** The last two need no work: `skipped` was left out before, and is as it was. */
export type DocumentKind = 'new' | 'changed' | 'permissions_only' | 'unchanged' | 'skipped'

/** What a run was started with; editing the workflow afterwards does not change it. */
export type JobSettings = {
  /** Null where the run was given files: it reads those, and what becomes of them is kept to be downloaded. */
  source_id: string | null
  destination_id: string | null
  /** Missing in jobs of earlier releases. */
  source_type?: string
  destination_type?: string
  nodes: WorkflowNodeRow[]
  reprocess_all: boolean
  /** Where everything has to be worked again, into a new index behind the alias. */
  swap_index?: true
  /** The job whose failed documents alone this one works. */
  retry_of?: string
  /** Only documents whose elements in the index are not what the ledger says. */
  repair?: true
}
