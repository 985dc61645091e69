// Written by `npm run openapi` from docs/openapi.json. Do not edit.

export type ConnectionCheck = {
  id: string
  status: "SCHEDULED" | "SUCCESS" | "FAILURE"
  reason: string | null
  steps: Array<{
    name: string
    status: "ok" | "failed" | "warning" | "skipped" | "pending"
    detail: string
    fix?: string | undefined
    /** Of a failed step: the fields of `config` that fix it, the likeliest first */
    fields?: Array<string> | undefined
  }>
  created_at: string
  reported_at: string | null
}

export type Connector = WikiSource | SampleSource

export type ConnectorType = {
  type: string
  kind: "source" | "destination"
  title: string
  /** One sentence on what it connects to */
  about: string
  /** The products that it connects to */
  systems: Array<string>
  /** A name of the icon set of the page */
  icon: string
  /** A path in the repository, or an https address */
  docs: string
  terms: {
    /** A singular lower-case noun */
    system: string
    /** A singular lower-case noun */
    scope: string
    /** A singular lower-case noun */
    document: string
  }
  /** Other names that are accepted for the type */
  aliases: Array<string>
  /** Other names that are accepted for fields, each with the name in the schema */
  field_aliases: Record<string, string>
  /** Fields that show what a connector connects to, in order */
  location_fields: Array<string>
  /** Empty if there is only one mode */
  sign_in_modes: Array<{
    id: string
    title: string
    description: string
    /** The fields that this mode needs, all of them */
    fields: Array<{
      name: string
      title?: string | undefined
      description?: string | undefined
    }>
    /** Values that other fields have to have in this mode */
    fixed?: Record<string, unknown> | undefined
    /** Values of other fields for which a form selects this mode */
    usual_for?: Record<string, unknown> | undefined
  }>
  /** How to get credentials with the least privileges. `{{name}}` in addresses and snippets is the value of a field */
  setup: Array<{
    title: string
    text: string
    /** The step applies only if the fields have these values */
    when: Record<string, unknown>
    links: Array<{
      title: string
      address: string
    }>
    snippets: Array<{
      title: string
      text: string
    }>
  }>
  /** Regular expressions for host, path and query of the address of a document, with the record ids that the document may have */
  document_addresses: Array<{
    pattern: string
    record_ids: Array<string>
  }>
  /** What it can do beyond the required minimum */
  capabilities: Array<string>
  /** Whether its documents come with Millrace; forms offer it only to try Millrace */
  sample: boolean
  /** JSON Schema of the settings. `widget: scopes` marks a list whose choices POST /sources/options offers; `implies` fills in other fields by the first pattern that the value matches; `shortens` cuts a pasted value; `choices` names true and false; `limits` marks a limit of scopes or documents */
  schema: Record<string, unknown>
}

export type Destination = SearchindexDestination | PostgresDestination

export type Element = {
  type: string
  element_id: string
  text: string
  metadata: {
    filename: string
    filetype: string
    [name: string]: unknown
  }
}

export type Freshness = {
  scopes: Array<{
    scope: string
    /** Empty if no document of it was read */
    name: string
    /** When the last complete reading of its permissions began */
    proved_at: string | null
    age_seconds: number | null
    status: "fresh" | "stale" | "hidden" | "never"
    decisions: {
      /** Restrictions that the source decided with checks and keeps */
      count: number
      /** When the oldest of them was proved last */
      oldest: string
    } | null
  }>
  /** The oldest `proved_at` */
  oldest: string | null
  /** The job that reads the permissions now */
  job_id: string | null
}

export type Job = {
  id: string
  workflow_id: string
  workflow_name: string
  status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED" | "STOPPED" | "FAILED"
  created_at: string
  runtime: string | null
  input_file_ids: Array<string> | null
  output_node_files: Array<{
    node_id: string
    file_id: string
    node_type: string
    node_subtype: string
  }> | null
  job_type: "ephemeral" | "persistent" | "scheduled" | "template"
  /** `permissions` jobs read no text and add no document; `verify` jobs compare or repair an index, and their `workflow_id` is the destination */
  kind: "content" | "permissions" | "verify"
  processing_status: "SCHEDULED" | "IN_PROGRESS" | "SUCCESS" | "COMPLETED_WITH_ERRORS" | "STOPPED" | "FAILED"
  /** Documents found so far, processed or not */
  found: number
  counts: {
    discovered: number
    new: number
    changed: number
    unchanged: number
    skipped: number
    failed: number
    removed: number
    permissions_only: number
  }
  /** Documents whose removal waits for approval */
  held_back: number
  /** What limits left out of the run; null if nothing */
  incomplete: {
    /** How many documents limits left out; null if unknown */
    documents: number | null
    limits: Array<{
      kind: "documents_per_scope" | "scopes" | "file_size" | "destination_documents"
      /** The setting of the source; null for a fixed limit */
      setting: string | null
      scope: string | null
      /** Documents, or scopes; null if unknown */
      left_out: number | null
      /** What is left out, a singular lower-case noun such as `page` */
      noun: string
      source_id: string | null
    }>
  } | null
  started_by: {
    kind: "person" | "key" | "schedule" | "retry" | "unknown"
    /** Name of the person or key; null if deleted */
    name: string | null
  }
}

export type JobDetails = {
  id: string
  processing_status: "SCHEDULED" | "IN_PROGRESS" | "SUCCESS" | "COMPLETED_WITH_ERRORS" | "STOPPED" | "FAILED"
  node_stats: Array<{
    node_name: string
    node_type: string
    node_subtype: string
    ready: number
    in_progress: number
    success: number
    failure: number
  }>
  message: string | null
  /** Why the job failed: a code of the error catalogue, and what to change; null if it did not fail */
  error: {
    code: string
    /** What the warning is about */
    subject: {
      kind: "workflow" | "source" | "destination" | "job" | "document" | "setting" | "documents"
      /** For `setting` the source or workflow, for `documents` the job */
      id: string
      /** The setting, or the code of the warning or error that the documents have */
      field: string | null
    } | null
  } | null
  /** Time spent on `list`, `read`, `partition`, `enrich`, `chunk`, `embed` and `write`; parallel work adds up, so the sum can exceed the runtime */
  step_seconds: Record<string, number>
  summary: {
    total_docs: number
    total_docs_succeeded: number
    total_docs_failed: number
  }
  counts: {
    discovered: number
    new: number
    changed: number
    unchanged: number
    skipped: number
    failed: number
    removed: number
    permissions_only: number
  }
  warnings: Array<{
    code: string
    message: string
    documents?: number | undefined
    /** What the warning is about */
    subject: {
      kind: "workflow" | "source" | "destination" | "job" | "document" | "setting" | "documents"
      /** For `setting` the source or workflow, for `documents` the job */
      id: string
      /** The setting, or the code of the warning or error that the documents have */
      field: string | null
    } | null
  }>
  /** What limits left out of the run; null if nothing */
  incomplete: {
    /** How many documents limits left out; null if unknown */
    documents: number | null
    limits: Array<{
      kind: "documents_per_scope" | "scopes" | "file_size" | "destination_documents"
      /** The setting of the source; null for a fixed limit */
      setting: string | null
      scope: string | null
      /** Documents, or scopes; null if unknown */
      left_out: number | null
      /** What is left out, a singular lower-case noun such as `page` */
      noun: string
      source_id: string | null
    }>
  } | null
  /** Whether its documents can still be listed */
  documents_kept: boolean
  /** The settings it started with; later changes of the workflow do not apply */
  settings: {
    source_id?: string | null | undefined
    destination_id?: string | null | undefined
    nodes: Array<WorkflowNode>
    reprocess_all?: boolean | undefined
    swap_index?: boolean | undefined
    retry_of?: string | undefined
    /** The job removes the elements of a deleted workflow */
    remove_elements?: boolean | undefined
  }
}

export type JobDocuments = {
  items: Array<{
    record_id: string
    title: string
    url: string
    state: string
    attempts: number
    error?: {
      code: string
      message: string
    } | undefined
    elements: number | null
    warnings?: Array<{
      code: string
      count: number
      message: string
    }> | undefined
    updated_at: string
  }>
  /** Documents by state that the filters match, whatever `state` is */
  totals: Record<string, number>
  /** The scopes that the job read, such as spaces */
  scopes: Array<{
    key: string
    name: string
  }>
  next: string | null
  previous: string | null
}

export type Model = {
  provider: string
  configured: boolean
  set: string
  answers: boolean
  model: string | null
  embeds: Array<{
    model_name: string
    dimensions: number
    max_characters: number
  }>
}

/** A table in a PostgreSQL database, with text search and vectors; pgvector is used where it exists. */
export type NewPostgresDestination = {
  name: string
  type: "postgres" | "pgvector"
  config: PostgresDestinationConfig
  key?: string | null | undefined
}

/** Two hundred invented pages and six people with different permissions, inside this service. */
export type NewSampleSource = {
  name: string
  type: "sample"
  config: SampleSourceConfig
  key?: string | null | undefined
}

/** An Elasticsearch index in Elastic Cloud, or one of an Elasticsearch or OpenSearch cluster that the service operator allows. */
export type NewSearchindexDestination = {
  name: string
  type: "searchindex" | "elasticsearch"
  config: SearchindexDestinationConfig
  key?: string | null | undefined
}

/** Pages of Confluence, Cloud or Data Center, with the permissions they have there. */
export type NewWikiSource = {
  name: string
  type: "wiki" | "confluence"
  config: WikiSourceConfig
  key?: string | null | undefined
}

/** A table in a PostgreSQL database, with text search and vectors; pgvector is used where it exists. */
export type PostgresDestination = {
  id: string
  name: string
  type: "postgres" | "pgvector"
  config: PostgresDestinationSettings
  created_at: string
  updated_at: string | null
  key: string | null
  /** Whether it is the workspace's sandbox, in the service's own database */
  sandbox: boolean
}

/** Settings of PostgreSQL. `null` and an empty text count as absent. */
export type PostgresDestinationConfig = {
  /** The name or address of the server, without a port. */
  host: string
  /** The port of the server. */
  port?: number | null | undefined
  /** The name of the database. It must exist and have the encoding UTF8. */
  database: string
  /** The role that writes. It needs privileges on one table only. */
  username?: string | null | undefined
  /** The password of the role. */
  password: string
  /** The name of the table, or schema.table; without a schema, public. The first run creates a missing table if the role may. */
  table_name?: string | null | undefined
  /** verify-full encrypts and checks certificate and name of the server. prefer encrypts if the server can, and checks nothing. disable sends everything in clear text. Without a choice: prefer for private addresses and names without a dot unless a CA certificate is set, verify-full for all others. */
  ssl_mode?: "verify-full" | "prefer" | "disable" | null | undefined
  /** The certificate of the server's own certificate authority, in PEM. Not needed for public authorities. */
  ca_certificate?: string | null | undefined
  /** How many rows one statement writes. */
  batch_size?: number | null | undefined
  /** Another name of `username` */
  user?: string | null | undefined
  /** Another name of `table_name` */
  table?: string | null | undefined
} & ({ username: string | null } | { user: string | null })

/** Settings of PostgreSQL, under the names they were created with */
export type PostgresDestinationSettings = {
  /** The name or address of the server, without a port. */
  host: string
  /** The port of the server. */
  port: number | null
  /** The name of the database. It must exist and have the encoding UTF8. */
  database: string
  /** The role that writes. It needs privileges on one table only. */
  username?: string | undefined
  /** Masked; absent if it is not set */
  password?: string | undefined
  /** The name of the table, or schema.table; without a schema, public. The first run creates a missing table if the role may. */
  table_name?: string | null | undefined
  /** verify-full encrypts and checks certificate and name of the server. prefer encrypts if the server can, and checks nothing. disable sends everything in clear text. Without a choice: prefer for private addresses and names without a dot unless a CA certificate is set, verify-full for all others. */
  ssl_mode: "verify-full" | "prefer" | "disable" | null
  /** The certificate of the server's own certificate authority, in PEM. Not needed for public authorities. */
  ca_certificate: string | null
  /** How many rows one statement writes. */
  batch_size: number | null
  /** Another name of `username` */
  user?: string | null | undefined
  /** Another name of `table_name` */
  table?: string | null | undefined
}

/** Settings of PostgreSQL. `null` and an empty text count as absent. */
export type PostgresDestinationUpdate = {
  /** The name or address of the server, without a port. */
  host: string
  /** The port of the server. */
  port?: number | null | undefined
  /** The name of the database. It must exist and have the encoding UTF8. */
  database: string
  /** The role that writes. It needs privileges on one table only. */
  username?: string | null | undefined
  /** The password of the role. */
  password?: string | null | undefined
  /** The name of the table, or schema.table; without a schema, public. The first run creates a missing table if the role may. */
  table_name?: string | null | undefined
  /** verify-full encrypts and checks certificate and name of the server. prefer encrypts if the server can, and checks nothing. disable sends everything in clear text. Without a choice: prefer for private addresses and names without a dot unless a CA certificate is set, verify-full for all others. */
  ssl_mode?: "verify-full" | "prefer" | "disable" | null | undefined
  /** The certificate of the server's own certificate authority, in PEM. Not needed for public authorities. */
  ca_certificate?: string | null | undefined
  /** How many rows one statement writes. */
  batch_size?: number | null | undefined
  /** Another name of `username` */
  user?: string | null | undefined
  /** Another name of `table_name` */
  table?: string | null | undefined
} & ({ username: string | null } | { user: string | null })

export type Problem = {
  /** What failed and what to do */
  detail: string
  /** A code of docs/errors.md */
  code: string
  retryable?: boolean | undefined
  request_id?: string | undefined
  [name: string]: unknown
}

export type Refusal = {
  detail: Array<{
    /** Path of the field */
    loc: Array<string | number>
    msg: string
    type: string
    [name: string]: unknown
  }>
  [name: string]: unknown
}

export type Repair = {
  /** Whether the index holds exactly what the ledger says */
  ok: boolean
  spaces: Array<{
    space_key: string
    documents: number
    elements: number
    missing: number
    different: number
    extra: number
    ledger_hash: string
    index_hash: string
  }>
  foreign_elements: number
  removed_elements: number
  jobs: Array<{
    id: string
    workflow_id: string
  }>
}

/** Two hundred invented pages and six people with different permissions, inside this service. */
export type SampleSource = {
  id: string
  name: string
  type: "sample"
  config: SampleSourceSettings
  created_at: string
  updated_at: string | null
  key: string | null
}

/** Settings of Sample wiki. `null` and an empty text count as absent. */
export type SampleSourceConfig = {
  /** Invented: the pages come with this service, and nothing is sent there. */
  url?: "http://sample-wiki.millrace.internal" | null | undefined
  /** Keys of the spaces to read. Empty for all spaces. */
  spaces?: Array<string> | null | undefined
}

/** Settings of Sample wiki, under the names they were created with */
export type SampleSourceSettings = {
  /** Invented: the pages come with this service, and nothing is sent there. */
  url: "http://sample-wiki.millrace.internal" | null
  /** Keys of the spaces to read. Empty for all spaces. */
  spaces: Array<string> | null
}

/** An Elasticsearch index in Elastic Cloud, or one of an Elasticsearch or OpenSearch cluster that the service operator allows. */
export type SearchindexDestination = {
  id: string
  name: string
  type: "searchindex" | "elasticsearch"
  config: SearchindexDestinationSettings
  created_at: string
  updated_at: string | null
  key: string | null
  /** Whether it is the workspace's sandbox, in the service's own database */
  sandbox: boolean
}

/** Settings of Search index. `null` and an empty text count as absent. */
export type SearchindexDestinationConfig = {
  /** The addresses of the search cluster; one is enough. */
  hosts: Array<string>
  /** The encoded key that the cluster shows when you create one, or id:key. */
  search_api_key?: string | null | undefined
  /** The name of the index. If it does not exist, the test offers to create it. The first run adds the schema to an empty index. */
  index_name: string
  /** Another name of `search_api_key` */
  es_api_key?: string | null | undefined
} & ({ search_api_key: string | null } | { es_api_key: string | null })

/** Settings of Search index, under the names they were created with */
export type SearchindexDestinationSettings = {
  /** The addresses of the search cluster; one is enough. */
  hosts: Array<string>
  /** Masked; absent if it is not set */
  search_api_key?: string | undefined
  /** The name of the index. If it does not exist, the test offers to create it. The first run adds the schema to an empty index. */
  index_name: string
  /** Another name of `search_api_key` */
  es_api_key?: string | null | undefined
}

/** Settings of Search index. `null` and an empty text count as absent. */
export type SearchindexDestinationUpdate = {
  /** The addresses of the search cluster; one is enough. */
  hosts: Array<string>
  /** The encoded key that the cluster shows when you create one, or id:key. */
  search_api_key?: string | null | undefined
  /** The name of the index. If it does not exist, the test offers to create it. The first run adds the schema to an empty index. */
  index_name: string
  /** Another name of `search_api_key` */
  es_api_key?: string | null | undefined
}

export type Session = {
  user: {
    id: string
    email: string
    name: string
  }
  tier: "personal" | "business"
  organisation: {
    id: string
    name: string
  } | null
  is_organisation_administrator: boolean
  workspaces: Array<Workspace>
}

/** A table in a PostgreSQL database, with text search and vectors; pgvector is used where it exists. */
export type TestedPostgresDestination = {
  name: string
  type: "postgres" | "pgvector"
  config: PostgresDestinationConfig
  /** Whether to create a missing index first */
  create_index?: boolean | undefined
}

/** Two hundred invented pages and six people with different permissions, inside this service. */
export type TestedSampleSource = {
  name: string
  type: "sample"
  config: SampleSourceConfig
  /** Whether to create a missing index first */
  create_index?: boolean | undefined
}

/** An Elasticsearch index in Elastic Cloud, or one of an Elasticsearch or OpenSearch cluster that the service operator allows. */
export type TestedSearchindexDestination = {
  name: string
  type: "searchindex" | "elasticsearch"
  config: SearchindexDestinationConfig
  /** Whether to create a missing index first */
  create_index?: boolean | undefined
}

/** Pages of Confluence, Cloud or Data Center, with the permissions they have there. */
export type TestedWikiSource = {
  name: string
  type: "wiki" | "confluence"
  config: WikiSourceConfig
  /** Whether to create a missing index first */
  create_index?: boolean | undefined
}

export type Verdict = {
  /** Whether the index holds exactly what the ledger says */
  ok: boolean
  spaces: Array<{
    space_key: string
    documents: number
    elements: number
    missing: number
    different: number
    extra: number
    ledger_hash: string
    index_hash: string
  }>
  foreign_elements: number
  findings: Array<{
    kind: "missing" | "different" | "extra"
    record_id: string
    space_key: string
    elements: number
    element_ids: Array<string>
    reason: string
  }>
  more_findings: number
}

export type Verification = {
  /** The job, also under `/jobs/{id}` */
  id: string
  kind: "verify" | "repair"
  status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED" | "STOPPED" | "FAILED"
  processing_status: string
  message: string | null
  /** Where to read the progress and the result */
  poll: string
  progress: {
    phase: "ledger" | "index" | "confirm" | "repair" | "start" | "done"
    /** The content job that has to end first */
    waits_for: string | null
    documents_compared: number
    documents_total: number
    elements_listed: number
    removed_elements: number
  }
  /** Of a verification that has completed */
  result: Verdict | null
  /** Of a repair that has completed */
  repaired: Repair | null
}

/** Pages of Confluence, Cloud or Data Center, with the permissions they have there. */
export type WikiSource = {
  id: string
  name: string
  type: "wiki" | "confluence"
  config: WikiSourceSettings
  created_at: string
  updated_at: string | null
  key: string | null
}

/** Settings of Wiki (Confluence). `null` and an empty text count as absent. Sign in with exactly one of: User name and API token (`username`, `token`); Personal access token (`token`, `cloud` false); User name and password (`username`, `password`). */
export type WikiSourceConfig = {
  /** Where people open the wiki in a browser. The address of a page or space is shortened. */
  url: string
  /** Cloud for a wiki on atlassian.net, Data Center for a wiki on your own servers. */
  cloud?: boolean | null | undefined
  /** The e-mail address of the account (Cloud), or its user name (Data Center). */
  username?: string | null | undefined
  /** An API token (Cloud), which needs the user name, or a personal access token (Data Center) without one. */
  token?: string | null | undefined
  /** Instead of a token. Needs the user name. */
  password?: string | null | undefined
  /** Keys of the spaces to read. Empty for all current spaces, including personal ones. */
  spaces?: Array<string> | null | undefined
  /** If there are more spaces, those with the lowest ids are read, and the run names the others. */
  max_num_of_spaces?: number | null | undefined
  /** If a space has more pages, those with the lowest ids are read, and the run names the space. */
  max_num_of_docs_from_each_space?: number | null | undefined
  /** Include the images of pages: attached images, and public images by URL. */
  extract_images?: boolean | null | undefined
  /** In bytes. Larger images are left out, and the run lists them with their sizes. */
  max_image_bytes?: number | null | undefined
  /** Read attached files as documents of their own, with the permissions of their page. */
  extract_files?: boolean | null | undefined
  /** With files: all attached files, or only those that the text of a page shows or links to. */
  files?: "all" | "embedded" | null | undefined
  /** Read blog posts as well as pages. */
  include_blog_posts?: boolean | null | undefined
  /** Read the open comments on a page (below it and inside it) as part of the page. */
  include_comments?: boolean | null | undefined
  /** Read current pages, archived pages or both. Drafts and trashed pages are never read. */
  statuses?: Array<"current" | "archived"> | null | undefined
  /** Only pages with at least one of these labels are read. Empty for all pages. */
  include_labels?: Array<string> | null | undefined
  /** Pages with any of these labels are left out. */
  exclude_labels?: Array<string> | null | undefined
  /** Only pages that match this CQL query are read. The search of the wiki may lag behind by minutes. */
  cql?: string | null | undefined
  /** The certificate of the wiki's own certificate authority, in PEM. Not needed for public authorities. */
  ca_certificate?: string | null | undefined
  /** The wiki does not report every restriction of folders, whiteboards and databases. If one cannot be ruled out, hide shows the pages below only to people the wiki confirms; open assumes no restriction. */
  unproved_ancestors?: "hide" | "open" | null | undefined
  /** Another name of `token` */
  api_token?: string | null | undefined
}

/** Settings of Wiki (Confluence), under the names they were created with */
export type WikiSourceSettings = {
  /** Where people open the wiki in a browser. The address of a page or space is shortened. */
  url: string
  /** Cloud for a wiki on atlassian.net, Data Center for a wiki on your own servers. */
  cloud: boolean | null
  /** The e-mail address of the account (Cloud), or its user name (Data Center). */
  username: string | null
  /** Masked; absent if it is not set */
  token?: string | undefined
  /** Masked; absent if it is not set */
  password?: string | undefined
  /** Keys of the spaces to read. Empty for all current spaces, including personal ones. */
  spaces: Array<string> | null
  /** If there are more spaces, those with the lowest ids are read, and the run names the others. */
  max_num_of_spaces: number | null
  /** If a space has more pages, those with the lowest ids are read, and the run names the space. */
  max_num_of_docs_from_each_space: number | null
  /** Include the images of pages: attached images, and public images by URL. */
  extract_images: boolean | null
  /** In bytes. Larger images are left out, and the run lists them with their sizes. */
  max_image_bytes: number | null
  /** Read attached files as documents of their own, with the permissions of their page. */
  extract_files: boolean | null
  /** With files: all attached files, or only those that the text of a page shows or links to. */
  files: "all" | "embedded" | null
  /** Read blog posts as well as pages. */
  include_blog_posts: boolean | null
  /** Read the open comments on a page (below it and inside it) as part of the page. */
  include_comments: boolean | null
  /** Read current pages, archived pages or both. Drafts and trashed pages are never read. */
  statuses: Array<"current" | "archived"> | null
  /** Only pages with at least one of these labels are read. Empty for all pages. */
  include_labels: Array<string> | null
  /** Pages with any of these labels are left out. */
  exclude_labels: Array<string> | null
  /** Only pages that match this CQL query are read. The search of the wiki may lag behind by minutes. */
  cql: string | null
  /** The certificate of the wiki's own certificate authority, in PEM. Not needed for public authorities. */
  ca_certificate: string | null
  /** The wiki does not report every restriction of folders, whiteboards and databases. If one cannot be ruled out, hide shows the pages below only to people the wiki confirms; open assumes no restriction. */
  unproved_ancestors: "hide" | "open" | null
  /** Another name of `token` */
  api_token?: string | null | undefined
}

export type Workflow = {
  id: string
  name: string
  created_at: string
  updated_at: string | null
  status: "active" | "inactive"
  sources: Array<string>
  destinations: Array<string>
  workflow_type: "basic" | "advanced" | "platinum" | "custom"
  workflow_nodes: Array<WorkflowNode>
  schedule: {
    crontab_entries: Array<{
      cron_expression: string
    }>
  }
  /** The time zone of the schedule */
  schedule_timezone: string
  /** When the schedule starts it next; null without one */
  next_run_at: string | null
  reprocess_all: boolean
  swap_index: boolean
  /** `every N minutes` or `off` */
  permissions_schedule: string
  /** Search hides spaces whose permissions are older; null for no limit */
  max_permission_age_hours: number | null
  /** The index hides spaces whose permissions are older; null for never */
  hide_in_index_after_hours: number | null
  key: string | null
  /** Settings that are allowed, but probably a mistake */
  warnings: Array<{
    code: string
    message: string
    /** What the warning is about */
    subject: {
      kind: "workflow" | "source" | "destination" | "job" | "document" | "setting" | "documents"
      /** For `setting` the source or workflow, for `documents` the job */
      id: string
      /** The setting, or the code of the warning or error that the documents have */
      field: string | null
    } | null
  }>
}

export type WorkflowNode = {
  id: string
  name: string
  type: string
  subtype: string
  settings: Record<string, unknown> | null
}

export type Workspace = {
  id: string
  name: string
  role: "reader" | "viewer" | "operator" | "developer" | "administrator"
  admits_readers: boolean
}

/** Every operation of the API. */
export type Operations = {
  /** Show whether the process runs */
  'GET /healthz': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      status: string
    }
  }
  /** Show whether the service can answer requests */
  'GET /readyz': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      status: string
    }
  }
  /** List sources */
  'GET /api/v1/sources': {
    path: undefined
    query: {
      /** Only sources of this type, under any of its names */
      source_type?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<Connector>
  }
  /** Create a source */
  'POST /api/v1/sources': {
    path: undefined
    query: undefined
    body: NewWikiSource | NewSampleSource
    response: Connector
  }
  /** Get a source */
  'GET /api/v1/sources/{id}': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: undefined
    response: Connector
  }
  /** Change the name or settings of a source */
  'PUT /api/v1/sources/{id}': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: {
      config?: WikiSourceConfig | SampleSourceConfig | undefined
      name?: string | null | undefined
    }
    response: {
      id: string
      name: string
      type: string
      config: WikiSourceSettings | SampleSourceSettings
      created_at: string
      updated_at: string | null
      key: string | null
      /** What the change hides */
      warnings: Array<{
        code: "site_changed" | "account_changed"
        message: string
      }>
    }
  }
  /** Delete a source that no workflow uses */
  'DELETE /api/v1/sources/{id}': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Start a connection check of a source */
  'POST /api/v1/sources/{id}/connection-check': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: undefined
    response: ConnectionCheck
  }
  /** Get the latest connection check of a source */
  'GET /api/v1/sources/{id}/connection-check': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: undefined
    response: ConnectionCheck
  }
  /** List destinations */
  'GET /api/v1/destinations': {
    path: undefined
    query: {
      /** Only destinations of this type, under any of its names */
      destination_type?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<Destination>
  }
  /** Create a destination */
  'POST /api/v1/destinations': {
    path: undefined
    query: undefined
    body: NewSearchindexDestination | NewPostgresDestination
    response: Destination
  }
  /** Get a destination */
  'GET /api/v1/destinations/{id}': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: Destination
  }
  /** Change the name or settings of a destination */
  'PUT /api/v1/destinations/{id}': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      config?: SearchindexDestinationUpdate | PostgresDestinationUpdate | undefined
      name?: string | null | undefined
    }
    response: Destination
  }
  /** Delete a destination that no workflow uses */
  'DELETE /api/v1/destinations/{id}': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Start a connection check of a destination */
  'POST /api/v1/destinations/{id}/connection-check': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: ConnectionCheck
  }
  /** Get the latest connection check of a destination */
  'GET /api/v1/destinations/{id}/connection-check': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: ConnectionCheck
  }
  /** List workflows */
  'GET /api/v1/workflows': {
    path: undefined
    query: {
      /** Accepted for compatibility; has no effect */
      dag_node_configuration_id?: string | undefined
      /** Only what belongs to this source */
      source_id?: string | undefined
      /** Only what belongs to this destination */
      destination_id?: string | undefined
      /** Only objects with this status */
      status?: "active" | "inactive" | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
      /** Number of the page, from 1 */
      page?: number | undefined
      /** Most entries on one page */
      page_size?: number | undefined
      /** Only objects created at or after this time */
      created_since?: string | undefined
      /** Only objects created before this time */
      created_before?: string | undefined
      /** Only objects whose name contains this text */
      name?: string | undefined
      /** Field to sort by */
      sort_by?: "id" | "name" | "created_at" | "updated_at" | undefined
      /** Direction of the sort */
      sort_direction?: "asc" | "desc" | undefined
      /** Only deleted workflows */
      show_only_soft_deleted?: "true" | "false" | "1" | "0" | "yes" | "no" | "on" | "off" | "y" | "n" | "enabled" | "disabled" | undefined
      /** Accepted for compatibility; has no effect */
      show_recommender_workflows?: "true" | "false" | "1" | "0" | "yes" | "no" | "on" | "off" | "y" | "n" | "enabled" | "disabled" | undefined
    } | undefined
    body: undefined
    response: Array<Workflow>
  }
  /** Create a workflow */
  'POST /api/v1/workflows': {
    path: undefined
    query: undefined
    body: {
      name: string
      workflow_type?: "basic" | "advanced" | "platinum" | "custom" | "template" | "auto" | undefined
      source_id?: string | null | undefined
      destination_id?: string | null | undefined
      workflow_nodes?: Array<unknown> | null | undefined
      template_id?: string | null | undefined
      schedule?: string | null | undefined
      schedule_timezone?: string | null | undefined
      reprocess_all?: boolean | null | undefined
      swap_index?: boolean | null | undefined
      permissions_schedule?: string | undefined
      max_permission_age_hours?: number | null | undefined
      hide_in_index_after_hours?: number | null | undefined
      key?: string | null | undefined
    }
    response: Workflow
  }
  /** Get a workflow */
  'GET /api/v1/workflows/{id}': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: undefined
    response: Workflow
  }
  /** Change a workflow */
  'PUT /api/v1/workflows/{id}': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: {
      name?: string | null | undefined
      workflow_type?: "basic" | "advanced" | "platinum" | "custom" | "template" | "auto" | null | undefined
      source_id?: string | null | undefined
      destination_id?: string | null | undefined
      workflow_nodes?: Array<unknown> | null | undefined
      template_id?: string | null | undefined
      schedule?: string | null | undefined
      schedule_timezone?: string | null | undefined
      reprocess_all?: boolean | null | undefined
      swap_index?: boolean | null | undefined
      permissions_schedule?: string | undefined
      max_permission_age_hours?: number | null | undefined
      hide_in_index_after_hours?: number | null | undefined
      key?: string | null | undefined
      state?: "active" | "inactive" | null | undefined
    }
    response: Workflow
  }
  /** Delete a workflow, with or without its elements */
  'DELETE /api/v1/workflows/{id}': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: {
      /** `remove` also removes the elements from the index, in a job */
      elements?: "keep" | "remove" | undefined
    } | undefined
    body: undefined
    response: Record<string, never>
  }
  /** Show how old the permissions of each scope are */
  'GET /api/v1/workflows/{id}/freshness': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Freshness
  }
  /** Start a permission pass */
  'POST /api/v1/workflows/{id}/sync-permissions': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: undefined
    response: Job
  }
  /** Start a job */
  'POST /api/v1/workflows/{id}/run': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: FormData | undefined
    response: Job
  }
  /** List the runs of a workflow with their counts, for a chart */
  'GET /api/v1/workflows/{id}/runs': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: {
      /** Most entries in one response */
      limit?: number | undefined
    } | undefined
    body: undefined
    response: Array<{
      job_id: string
      created_at: string
      status: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED" | "STOPPED" | "FAILED"
      processing_status: "SCHEDULED" | "IN_PROGRESS" | "SUCCESS" | "COMPLETED_WITH_ERRORS" | "STOPPED" | "FAILED"
      job_type: string
      /** Null until it ended */
      seconds: number | null
      found: number
      new: number
      /** Documents whose text or permissions changed */
      changed: number
      removed: number
      failed: number
      /** Elements that it wrote */
      elements: number
      /** Whether it can be compared with other runs */
      documents_kept: boolean
      /** What limits left out of the run; null if nothing */
      incomplete: {
        /** How many documents limits left out; null if unknown */
        documents: number | null
        limits: Array<{
          kind: "documents_per_scope" | "scopes" | "file_size" | "destination_documents"
          /** The setting of the source; null for a fixed limit */
          setting: string | null
          scope: string | null
          /** Documents, or scopes; null if unknown */
          left_out: number | null
          /** What is left out, a singular lower-case noun such as `page` */
          noun: string
          source_id: string | null
        }>
      } | null
      /** What was expected before it started; null without an estimate */
      estimate: {
        at: string
        /** Null if the source does not say */
        documents: number | null
        by_scope: Array<{
          scope: string
          name: string
          /** Null if the source does not say */
          documents: number | null
        }>
        /** Whether a limit of the source leaves documents out */
        limited: boolean
        /** Null before the first run */
        elements: number | null
        /** Null before the first run */
        seconds: number | null
        basis: {
          /** Earlier runs that `seconds` is the median of */
          runs: number
          /** Documents in the index that `elements` is calculated from */
          documents: number
        }
      } | null
    }>
  }
  /** List the documents that differ between two runs */
  'GET /api/v1/jobs/{id}/differences': {
    path: {
      /** Id of the job */
      id: string
    }
    query: {
      /** Another run of the same workflow, earlier or later */
      to: string
      /** Only documents with this change */
      change?: "new" | "changed" | "removed" | "failed" | undefined
      /** `next` of the previous answer */
      after?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    }
    body: undefined
    response: {
      from: {
        job_id: string
        created_at: string
      }
      to: {
        job_id: string
        created_at: string
      }
      /** False if documents of a run in between are no longer kept */
      complete: boolean
      totals: {
        new: number
        changed: number
        removed: number
        failed: number
      }
      items: Array<{
        record_id: string
        title: string
        url: string
        change: "new" | "changed" | "removed" | "failed"
        permissions_only: boolean
        /** The last run that changed it */
        job_id: string
        error: {
          code: string
          message: string
        } | null
      }>
      next: string | null
    }
  }
  /** Explain a schedule and list its next runs */
  'GET /api/v1/schedules/next-runs': {
    path: undefined
    query: {
      /** A phrase, or a cron expression of five fields */
      schedule: string
      /** IANA name of the time zone */
      schedule_timezone?: string | undefined
    }
    body: undefined
    response: {
      cron_expression: string
      schedule_timezone: string
      /** The schedule as a sentence */
      text: string
      next_runs: Array<string>
    }
  }
  /** Estimate what the next run of a workflow will read */
  'POST /api/v1/workflows/{id}/estimate': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      at: string
      /** Null if the source does not say */
      documents: number | null
      by_scope: Array<{
        scope: string
        name: string
        /** Null if the source does not say */
        documents: number | null
      }>
      /** Whether a limit of the source leaves documents out */
      limited: boolean
      /** Null before the first run */
      elements: number | null
      /** Null before the first run */
      seconds: number | null
      basis: {
        /** Earlier runs that `seconds` is the median of */
        runs: number
        /** Documents in the index that `elements` is calculated from */
        documents: number
      }
    }
  }
  /** List jobs */
  'GET /api/v1/jobs': {
    path: undefined
    query: {
      /** Only what belongs to this workflow */
      workflow_id?: string | undefined
      /** Only objects with this status */
      status?: "SCHEDULED" | "IN_PROGRESS" | "COMPLETED" | "STOPPED" | "FAILED" | "scheduled" | "in progress" | "completed" | "stopped" | "failed" | "" | undefined
      /** Only jobs of this kind */
      kind?: "content" | "permissions" | "verify" | undefined
      /** Jobs created at this time or later */
      created_after?: string | undefined
      /** Jobs created before this time */
      created_before?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<Job>
  }
  /** Start a job for uploaded files, without a workflow */
  'POST /api/v1/jobs': {
    path: undefined
    query: undefined
    body: FormData
    response: Job
  }
  /** Get a job */
  'GET /api/v1/jobs/{id}': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: Job
  }
  /** Stop a job */
  'POST /api/v1/jobs/{id}/cancel': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      status: string
      message: string
    }
  }
  /** Get counts, warnings and settings of a job */
  'GET /api/v1/jobs/{id}/details': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: JobDetails
  }
  /** List documents that failed in a job */
  'GET /api/v1/jobs/{id}/failed-files': {
    path: {
      /** Id of the job */
      id: string
    }
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: {
      failed_files: Array<{
        document: string
        error: string
      }>
    }
  }
  /** List documents of a job with their outcome */
  'GET /api/v1/jobs/{id}/documents': {
    path: {
      /** Id of the job */
      id: string
    }
    query: {
      /** Only documents with this state */
      state?: "pending" | "in_progress" | "new" | "changed" | "permissions_only" | "unchanged" | "skipped" | "failed" | "removed" | undefined
      /** Only documents with this error code */
      error?: string | undefined
      /** The code of a warning that the document has */
      warning?: string | undefined
      /** A part of the title, in any case */
      title?: string | undefined
      /** Only documents of this scope */
      space_key?: string | undefined
      /** Field to sort by */
      sort_by?: "record_id" | "title" | "state" | "updated_at" | "elements" | undefined
      /** Direction of the sort */
      sort_direction?: "asc" | "desc" | undefined
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    } | undefined
    body: undefined
    response: JobDocuments
  }
  /** Start a job for the documents that failed */
  'POST /api/v1/jobs/{id}/retry': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: Job
  }
  /** Approve removals that were held back */
  'POST /api/v1/jobs/{id}/approve-deletions': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      removed: number
    }
  }
  /** Start a job for the failed documents of each of these jobs */
  'POST /api/v1/jobs/retry': {
    path: undefined
    query: undefined
    body: {
      job_ids: Array<string>
    }
    response: {
      results: Array<{
        job_id: string
        job: Job | null
        error: {
          code: string
          message: string
          fix: string | null
        } | null
      }>
    }
  }
  /** Approve the held-back removals of these jobs */
  'POST /api/v1/jobs/approve-deletions': {
    path: undefined
    query: undefined
    body: {
      job_ids: Array<string>
    }
    response: {
      results: Array<{
        job_id: string
        removed: number | null
        error: {
          code: string
          message: string
          fix: string | null
        } | null
      }>
    }
  }
  /** Get the log of a job as lines of JSON */
  'GET /api/v1/jobs/{id}/log': {
    path: {
      /** Id of the job */
      id: string
    }
    query: {
      /** The lowest level of the lines */
      level?: "info" | "warning" | "error" | undefined
      /** A part of the line, in any case */
      text?: string | undefined
      /** Only the documents that ended last, in the order of time */
      tail?: number | undefined
    } | undefined
    body: undefined
    response: string
  }
  /** Follow the progress of a job as server-sent events */
  'GET /api/v1/jobs/{id}/events': {
    path: {
      /** Id of the job */
      id: string
    }
    query: undefined
    body: undefined
    response: string | undefined
  }
  /** Run the pipeline of a workflow on a few documents, without writing */
  'POST /api/v1/workflows/{id}/preview': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: undefined
    body: {
      limit?: number | null | undefined
      record_ids?: Array<string> | null | undefined
    } | null | undefined
    response: {
      documents: Array<{
        record_id: string
        title: string
        url: string
        filetype: string | null
        html: string | null
        data_source: Record<string, unknown> | null
        nodes: Array<{
          node: {
            type: string
            subtype: string
            name: string
          }
          total: number
          elements: Array<Element>
          dims?: number | undefined
          sample?: Array<number> | undefined
        }>
        warnings: Array<{
          code: string
          count: number
          message: string
        }>
        error: {
          code: string
          message: string
        } | null
      }>
    }
  }
  /** Run the default pipeline on a few documents of a source, without writing */
  'POST /api/v1/sources/{id}/preview': {
    path: {
      /** Id of the source */
      id: string
    }
    query: undefined
    body: {
      limit?: number | null | undefined
      record_ids?: Array<string> | null | undefined
    } | null | undefined
    response: {
      documents: Array<{
        record_id: string
        title: string
        url: string
        filetype: string | null
        html: string | null
        data_source: Record<string, unknown> | null
        nodes: Array<{
          node: {
            type: string
            subtype: string
            name: string
          }
          total: number
          elements: Array<Element>
          dims?: number | undefined
          sample?: Array<number> | undefined
        }>
        warnings: Array<{
          code: string
          count: number
          message: string
        }>
        error: {
          code: string
          message: string
        } | null
      }>
    }
  }
  /** List the outcomes of one document in the jobs of a workflow */
  'GET /api/v1/workflows/{id}/documents': {
    path: {
      /** Id of the workflow */
      id: string
    }
    query: {
      /** Id of the document in its source */
      record_id: string
    }
    body: undefined
    response: Array<{
      job_id: string
      at: string
      state: string
      /** The version that was read or failed, where known */
      version: string | null
      error: {
        code: string
        message: string
      } | null
      elements: number | null
    }>
  }
  /** Show versions, errors and permissions of a document in all workflows */
  'GET /api/v1/documents': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
    }
    body: undefined
    response: {
      record_id: string
      title: string
      url: string
      space_key: string
      space_name: string
      labels: Array<string>
      ancestors: Array<{
        id: string
        title: string
      }>
      author: string | null
      modified_at: string | null
      version: string | null
      workflows: Array<{
        workflow_id: string
        name: string
        destination_id: string | null
        /** `outdated`: the index holds an older version; `skipped`: its content cannot be indexed */
        state: "searchable" | "outdated" | "waiting" | "skipped"
        /** The version in the index */
        indexed_version: string | null
        /** The version that the newest listing found */
        wanted_version: string | null
        elements: number
        written_at: string | null
        /** Why the newest version is not in the index */
        error: {
          code: string
          message: string
          /** What to do */
          fix: string
          at: string
        } | null
        permissions: {
          /** From the space down to the page; a reader has to pass every level */
          levels: Array<{
            level: "space" | "ancestor" | "page"
            id: string
            title: string | null
            /** Whether this level admits only people and groups that it names */
            restricted: boolean
          }>
          /** People who pass every level by name, or by a group that does not pass itself */
          people: number | null
          /** Groups that pass every level */
          groups: number | null
          /** The class that passes every level, as a token */
          everyone: string | null
          /** Ids of the first three people and groups; null for viewers and operators */
          readers: {
            people: Array<string>
            groups: Array<string>
          } | null
          /** When reading of these permissions began */
          checked_at: string | null
          /** `hidden`: search shows it to no one; `stale`: a reading was missed; `never`: not read yet */
          status: "fresh" | "stale" | "hidden" | "never"
          /** Why search hides it */
          reason: string | null
        }
      }>
    }
  }
  /** List your workspaces that know a document */
  'GET /api/v1/documents/locate': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
    }
    body: undefined
    response: Array<{
      workspace_id: string
      name: string
    }>
  }
  /** List documents with a title */
  'GET /api/v1/documents/find': {
    path: undefined
    query: {
      /** Part of the title of the document */
      title: string
    }
    body: undefined
    response: Array<{
      record_id: string
      title: string
      space_key: string
      space_name: string
    }>
  }
  /** List the outcomes of a document in the jobs of a workflow */
  'GET /api/v1/documents/runs': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
      /** Only what belongs to this workflow */
      workflow_id: string
    }
    body: undefined
    response: Array<{
      job_id: string
      at: string
      state: string
      /** The version that was read or failed, where known */
      version: string | null
      error: {
        code: string
        message: string
      } | null
      elements: number | null
    }>
  }
  /** List versions of a document that the index held */
  'GET /api/v1/documents/versions': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
      /** Only what belongs to this workflow */
      workflow_id: string
    }
    body: undefined
    response: Array<{
      /** For `from` and `to` of the changes */
      id: string
      version: string
      /** When the index got it */
      seen_at: string
      job_id: string | null
      /** Compared with the version before */
      changed: Array<"text" | "permissions" | "place">
    }>
  }
  /** Read a document now and show its blocks and elements */
  'GET /api/v1/documents/content': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
      /** Only what belongs to this workflow */
      workflow_id: string
    }
    body: undefined
    response: {
      /** The version that was read now */
      version: string
      /** The version in the index */
      indexed_version: string | null
      filetype: string
      /** Whether the index holds exactly these elements */
      indexed: boolean
      /** What the partition node makes of the document, in reading order */
      blocks: Array<{
        id: string
        type: string
        text: string
        html: string | null
        depth: number
        /** The page of a file that has pages */
        page: number | null
        /** In points from the page's top left corner, where the reader of the file knows it */
        box: {
          left: number
          top: number
          right: number
          bottom: number
        } | null
      }>
      /** What the later nodes make of the blocks */
      elements: Array<{
        element_id: string
        type: string
        text: string
        html: string | null
        block_ids: Array<string>
      }>
      /** More than `blocks` has if the answer was cut */
      total_blocks: number
      total_elements: number
      warnings: Array<{
        code: string
        count: number
        message: string
      }>
    }
  }
  /** Read a PDF now and draw one of its pages */
  'GET /api/v1/documents/page': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
      /** Only what belongs to this workflow */
      workflow_id: string
      /** Number of the page, from 1 */
      page: number
    }
    body: undefined
    response: {
      /** The version that was read now */
      version: string
      page: number
      pages: number
      /** In points */
      width: number
      height: number
      /** The page as a picture, in Base64 */
      png: string
    }
  }
  /** Compare text and permissions of two versions of a document */
  'GET /api/v1/documents/changes': {
    path: undefined
    query: {
      /** Id of the document in its source */
      record_id: string
      /** Only what belongs to this workflow */
      workflow_id: string
      /** Id of the earlier version */
      from: string
      /** Id of the later version */
      to: string
    }
    body: undefined
    response: {
      from: {
        /** For `from` and `to` of the changes */
        id: string
        version: string
        /** When the index got it */
        seen_at: string
        job_id: string | null
      }
      to: {
        /** For `from` and `to` of the changes */
        id: string
        version: string
        /** When the index got it */
        seen_at: string
        job_id: string | null
      }
      /** Null if the text of a version cannot be read */
      text: Array<{
        kind: "same" | "added" | "removed"
        text: string
      }> | null
      text_problem: string | null
      permissions: Array<{
        level: "space" | "ancestor" | "page"
        id: string
        title: string | null
        /** Tokens without their prefix */
        added: {
          users: Array<string>
          groups: Array<string>
          classes: Array<string>
          /** How many more there are */
          more: number
        }
        removed: {
          users: Array<string>
          groups: Array<string>
          classes: Array<string>
          /** How many more there are */
          more: number
        }
        /** Whether the level began or ceased to restrict, or names others; `hidden` and `shown` are about the whole document */
        restriction: "added" | "removed" | "changed" | "hidden" | "shown"
      }>
    }
  }
  /** Test a source and create it only if the test succeeds */
  'POST /api/v1/sources/connect': {
    path: undefined
    query: undefined
    body: TestedWikiSource | TestedSampleSource
    response: {
      check: {
        status: "SCHEDULED" | "SUCCESS" | "FAILURE"
        reason: string | null
        steps: Array<{
          name: string
          status: "ok" | "failed" | "warning" | "skipped" | "pending"
          detail: string
          fix?: string | undefined
          /** Of a failed step: the fields of `config` that fix it, the likeliest first */
          fields?: Array<string> | undefined
        }>
      }
      /** Null if the test failed */
      connector: Connector | null
      /** After a failed test, what would create the index */
      missing_index: {
        name: string
        /** Null if the credentials may not see the index */
        exists: boolean | null
        /** Whether the credentials may create it; null if unknown */
        allowed: boolean | null
        /** The request that creates the index with its whole schema */
        request: {
          method: string
          path: string
          body: Record<string, unknown>
        }
        /** The same request as a shell command */
        command: string
      } | null
      /** The index that was created, also if the test failed after that */
      created_index: string | null
    }
  }
  /** Test a destination and create it only if the test succeeds */
  'POST /api/v1/destinations/connect': {
    path: undefined
    query: undefined
    body: TestedSearchindexDestination | TestedPostgresDestination
    response: {
      check: {
        status: "SCHEDULED" | "SUCCESS" | "FAILURE"
        reason: string | null
        steps: Array<{
          name: string
          status: "ok" | "failed" | "warning" | "skipped" | "pending"
          detail: string
          fix?: string | undefined
          /** Of a failed step: the fields of `config` that fix it, the likeliest first */
          fields?: Array<string> | undefined
        }>
      }
      /** Null if the test failed */
      connector: Destination | null
      /** After a failed test, what would create the index */
      missing_index: {
        name: string
        /** Null if the credentials may not see the index */
        exists: boolean | null
        /** Whether the credentials may create it; null if unknown */
        allowed: boolean | null
        /** The request that creates the index with its whole schema */
        request: {
          method: string
          path: string
          body: Record<string, unknown>
        }
        /** The same request as a shell command */
        command: string
      } | null
      /** The index that was created, also if the test failed after that */
      created_index: string | null
    }
  }
  /** List the scopes of a source that is not stored yet */
  'POST /api/v1/sources/options': {
    path: undefined
    query: undefined
    body: {
      type: "wiki" | "confluence" | "sample"
      config: WikiSourceConfig | SampleSourceConfig
      source_id?: string | null | undefined
    }
    response: {
      spaces: Array<{
        key: string
        name: string
        /** About how many documents it has; null if the source does not say */
        documents: number | null
      }>
    }
  }
  /** Get totals and the latest jobs of the workspace */
  'GET /api/v1/overview': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      documents: number
      elements: number
      sources: number
      destinations: number
      workflows: number
      last_runs: Array<Job>
      /** Documents that failed in the last seven days */
      failures_7d: number
      failed_jobs_7d: number
      permissions_as_of: string | null
      /** Scopes whose documents search hides because their permissions are too old */
      hidden_scopes: number
      /** What is done of setting up the workspace */
      setup: {
        has_sample_run: boolean
        /** Why the sample cannot run on this service; null if it can */
        sample_reason: string | null
        /** The products that this service connects to */
        systems: {
          sources: Array<string>
          destinations: Array<string>
        }
        /** Whether there is a source besides the sample */
        has_source: boolean
        /** Whether there is a destination besides the sandbox */
        has_destination: boolean
        /** Whether a run of such a source has completed */
        has_run: boolean
        has_schedule: boolean
        /** Whether there is another member, or an invitation */
        has_colleague: boolean
        /** Whether an assistant or program can search */
        has_token: boolean
      }
      by_day: Array<{
        day: string
        new: number
        changed: number
        removed: number
        failed: number
      }>
    }
  }
  /** Count running jobs and unread notifications */
  'GET /api/v1/activity': {
    path: undefined
    query: {
      /** Comma-separated: job.scheduled, job.in_progress, job.progress, job.completed, job.stopped, job.failed, deletions.held_back, permissions.too_old, connector.failing, channel.disabled */
      event_types?: string | undefined
    } | undefined
    body: undefined
    response: {
      running_jobs: number
      unread_count: number
    }
  }
  /** List sample sources */
  'GET /api/v1/samples': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<{
      type: string
      name: string
      url: string
      /** The source created from it in this workspace, if there is one */
      source_id: string | null
      /** People to search as */
      people: Array<{
        id: string
        name: string
        role: string
      }>
      groups: Array<{
        id: string
        name: string
      }>
    }>
  }
  /** Create the sample source */
  'POST /api/v1/samples': {
    path: undefined
    query: undefined
    body: {
      type?: string | null | undefined
    } | null | undefined
    response: Connector
  }
  /** Copy the sample source into the sandbox */
  'POST /api/v1/samples/try': {
    path: undefined
    query: undefined
    body: Record<string, never> | null | undefined
    response: {
      source_id: string
      destination_id: string
      workflow_id: string
      /** The job that fills the sandbox, active or completed */
      job_id: string
      /** Two people to search as */
      people: Array<{
        id: string
        name: string
        role: string
        /** A query with different results for each person */
        query: string
      }>
    }
  }
  /** Show whether the workspace can have a sandbox, and what it holds */
  'GET /api/v1/sandbox': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      available: boolean
      /** Why it is not available, and what the service operator can do */
      reason: string | null
      /** The sandbox of this workspace, if it was created */
      destination_id: string | null
      max_documents: number
      /** Documents that workflows wrote into it */
      documents: number
    }
  }
  /** Create the sandbox */
  'POST /api/v1/sandbox': {
    path: undefined
    query: undefined
    body: Record<string, never> | null | undefined
    response: Destination
  }
  /** Search as a person */
  'POST /api/v1/destinations/{id}/search': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      query: string
      size?: number | undefined
      from?: number | undefined
      search_after?: string | undefined
      filters?: {
        space_key?: string | "" | Array<string> | undefined
        labels?: string | "" | Array<string> | undefined
        ancestors?: string | "" | Array<string> | undefined
        author?: string | "" | Array<string> | undefined
        filetype?: string | "" | Array<string> | undefined
        record_id?: string | "" | Array<string> | undefined
        path_in_archive?: string | "" | Array<string> | undefined
        created?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
        modified?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
      } | undefined
      facets?: Array<"space_key" | "labels" | "filetype" | "author" | "modified"> | undefined
      group_by?: "document" | undefined
      neighbours?: number | undefined
      why?: boolean | undefined
      as?: {
        user?: string | undefined
        groups?: Array<string> | undefined
      } | undefined
    }
    response: {
      total: number
      total_relation: "eq" | "lte"
      incomplete: boolean
      unknown_document: number
      hidden: Array<{
        workflow_id: string
        scope: string
        reason: "stale" | "never"
        proved_at: string | null
      }>
      hits: Array<{
        record_id: string
        element_id: string
        score: number
        text: string
        highlight: string | null
        highlights: Array<string>
        title: string | null
        url: string | null
        version: string | null
        date_modified: string | null
        space_key: string | null
        filetype: string | null
        page_number: number | null
        path_in_archive: string | null
        granted_by: Array<string>
        passages?: Array<{
          element_id: string
          score: number
          text: string
          highlights: Array<string>
        }> | undefined
        neighbours?: {
          before: Array<{
            element_id: string
            text: string
          }>
          after: Array<{
            element_id: string
            text: string
          }>
        } | undefined
        why?: {
          as_of: string
          levels: Array<{
            level: "space" | "ancestor" | "page"
            id: string
            title: string | null
            by: Array<string>
          }>
        } | null | undefined
      }>
      next: string | null
      facets?: Record<string, Array<{
        value: string
        count: number
      }>> | undefined
      facets_relation?: "eq" | "gte" | undefined
    }
  }
  /** Search as up to three people and show which documents each of them finds */
  'POST /api/v1/destinations/{id}/compare': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      query: string
      search_after?: string | undefined
      filters?: {
        space_key?: string | "" | Array<string> | undefined
        labels?: string | "" | Array<string> | undefined
        ancestors?: string | "" | Array<string> | undefined
        author?: string | "" | Array<string> | undefined
        filetype?: string | "" | Array<string> | undefined
        record_id?: string | "" | Array<string> | undefined
        path_in_archive?: string | "" | Array<string> | undefined
        created?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
        modified?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
      } | undefined
      facets?: Array<"space_key" | "labels" | "filetype" | "author" | "modified"> | undefined
      people?: Array<{
        user?: string | undefined
        groups?: Array<string> | undefined
      }> | undefined
      size?: number | undefined
      only_differences?: boolean | undefined
    }
    response: {
      total: number
      total_relation: "eq" | "lte"
      incomplete: boolean
      hidden: Array<{
        workflow_id: string
        scope: string
        reason: "stale" | "never"
        proved_at: string | null
      }>
      facets?: Record<string, Array<{
        value: string
        count: number
      }>> | undefined
      facets_relation?: "eq" | "gte" | undefined
      next: string | null
      people: Array<{
        name: string | null
        user: string | null
        active: boolean
        found: number
        found_relation: "eq" | "lte"
        only: number
      }>
      differ: number
      everyone: number
      differ_relation: "eq" | "gte"
      space_names: Record<string, string>
      documents: Array<{
        record_id: string
        element_id: string
        title: string | null
        url: string | null
        space_key: string | null
        filetype: string | null
        path_in_archive: string | null
        version: string | null
        date_modified: string | null
        text: string
        highlights: Array<string>
        passages: Array<{
          element_id: string
          score: number
          text: string
          highlights: Array<string>
        }>
        people: Array<{
          status: "found" | "stopped" | "hidden"
          stopped_by: {
            level: "space" | "ancestor" | "page"
            id: string
            title: string | null
            rule: string
            principals: {
              users: Array<{
                id: string
                name: string | null
              }>
              groups: Array<{
                id: string
                name: string | null
              }>
              classes: Array<string>
              more: number
            }
            as_of: string
          } | null
        }>
      }>
    }
  }
  /** Get a search as a query of the destination, with the permission filter */
  'POST /api/v1/destinations/{id}/native-query': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      query: string
      size?: number | undefined
      from?: number | undefined
      search_after?: string | undefined
      filters?: {
        space_key?: string | "" | Array<string> | undefined
        labels?: string | "" | Array<string> | undefined
        ancestors?: string | "" | Array<string> | undefined
        author?: string | "" | Array<string> | undefined
        filetype?: string | "" | Array<string> | undefined
        record_id?: string | "" | Array<string> | undefined
        path_in_archive?: string | "" | Array<string> | undefined
        created?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
        modified?: {
          gte?: string | undefined
          lte?: string | undefined
        } | undefined
      } | undefined
      facets?: Array<"space_key" | "labels" | "filetype" | "author" | "modified"> | undefined
      group_by?: "document" | undefined
      neighbours?: number | undefined
      why?: boolean | undefined
      as?: {
        user?: string | undefined
        groups?: Array<string> | undefined
      } | undefined
    }
    response: {
      dialect: string
      title: string
      request: {
        method: string
        path: string
        body: Record<string, unknown>
      } | null
      sql: string | null
    }
  }
  /** List who can read a document, with what lets them in */
  'GET /api/v1/destinations/{id}/readers': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: {
      /** Id of the document in its source */
      record_id: string
    }
    body: undefined
    response: {
      record_id: string
      title: string
      as_of: string
      levels: Array<{
        level: "space" | "ancestor" | "page"
        id: string | null
        title: string | null
        principals: {
          users: Array<{
            id: string
            name: string | null
          }>
          groups: Array<{
            id: string
            name: string | null
          }>
          classes: Array<string>
          more: number
        }
      }>
      everyone: string | null
      groups: Array<{
        id: string
        name: string | null
        through: Array<{
          level: "space" | "ancestor" | "page"
          id: string | null
          title: string | null
        }>
      }>
      people: Array<{
        id: string
        name: string | null
        through: Array<{
          level: "space" | "ancestor" | "page"
          id: string | null
          title: string | null
          by: string
          by_name: string | null
        }>
      }>
      total_people: number
      complete: boolean
      reason: string | null
    }
  }
  /** List destinations that you can search */
  'GET /api/v1/search/destinations': {
    path: undefined
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<{
      id: string
      name: string
      sandbox: boolean
      last_written_at: string | null
    }>
  }
  /** Read a document as a person */
  'GET /api/v1/destinations/{id}/documents/{record_id}': {
    path: {
      /** Id of the destination */
      id: string
      /** Id of the document */
      record_id: string
    }
    query: {
      /** Account id of the person in the source */
      user?: string | undefined
      /** Groups of the person instead of those in the source */
      groups?: string | Array<string> | undefined
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** Only this file of an archive, by its path inside it */
      path_in_archive?: string | undefined
    } | undefined
    body: undefined
    response: {
      record_id: string
      title: string | null
      url: string | null
      version: string | null
      date_modified: string | null
      space_key: string | null
      filetype: string | null
      path_in_archive: string | null
      elements: Array<{
        element_id: string
        type: string
        text: string
        page_number: number | null
        path_in_archive: string | null
      }>
      next: string | null
    }
  }
  /** Explain why a person can or cannot read a document */
  'POST /api/v1/destinations/{id}/explain': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      record_id: string
      as?: {
        user?: string | undefined
        groups?: Array<string> | undefined
      } | undefined
    }
    response: {
      allowed: boolean
      operation: "read"
      chain: Array<{
        level: "space" | "ancestor" | "page"
        id: string
        title: string
        rule: string
        satisfied: boolean
        by: string | null
        as_of: string
        decides: boolean
        principals: {
          users: Array<{
            id: string
            name: string | null
          }>
          groups: Array<{
            id: string
            name: string | null
          }>
          classes: Array<string>
          more: number
        }
      }>
    }
  }
  /** Get the tokens of a person for a query of your own */
  'GET /api/v1/destinations/{id}/tokens': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: {
      /** Account id of the person in the source */
      user: string
    }
    body: undefined
    response: {
      user: string
      tokens: Array<string>
      sites: Array<string>
      expires_at: string
    }
  }
  /** Compare an index with the ledger */
  'POST /api/v1/destinations/{id}/verify': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: {
      /** Seconds to wait for the result; then the response is 202 with the job */
      wait?: number | undefined
    } | undefined
    body: undefined
    response: Verdict | Verification
  }
  /** Compare an index with the ledger and repair it */
  'POST /api/v1/destinations/{id}/repair': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: {
      /** Seconds to wait for the result; then the response is 202 with the job */
      wait?: number | undefined
    } | undefined
    body: {
      approve_deletions?: boolean | undefined
    } | null | undefined
    response: Repair | Verification
  }
  /** Get the progress or result of a verification */
  'GET /api/v1/destinations/{id}/verify/{jobId}': {
    path: {
      /** Id of the destination */
      id: string
      /** Id of the verify */
      jobId: string
    }
    query: undefined
    body: undefined
    response: Verification
  }
  /** Show the request that creates the index of a destination */
  'GET /api/v1/destinations/{id}/create-index': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      name: string
      /** Null if the credentials may not see the index */
      exists: boolean | null
      /** Whether the credentials may create it; null if unknown */
      allowed: boolean | null
      /** The request that creates the index with its whole schema */
      request: {
        method: string
        path: string
        body: Record<string, unknown>
      }
      /** The same request as a shell command */
      command: string
    }
  }
  /** Create the index of a destination with its whole schema */
  'POST /api/v1/destinations/{id}/create-index': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      created: boolean
    }
  }
  /** List indexes that a swap replaced */
  'GET /api/v1/destinations/{id}/generations': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: undefined
    response: Array<{
      name: string
      elements: number
      /** Aliases that point to it; an index with an alias cannot be deleted */
      aliases: Array<string>
      replaced_at: string
    }>
  }
  /** Delete an index that a swap replaced */
  'DELETE /api/v1/destinations/{id}/generations/{name}': {
    path: {
      /** Id of the destination */
      id: string
      /** Name of the generation */
      name: string
    }
    query: undefined
    body: undefined
    response: {
      deleted: string
    }
  }
  /** Find people to search as */
  'GET /api/v1/destinations/{id}/people': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: {
      /** Part of a name */
      query?: string | undefined
    } | undefined
    body: undefined
    response: {
      people: Array<{
        id: string
        name: string | null
      }>
    }
  }
  /** Get the names of people and groups */
  'POST /api/v1/destinations/{id}/names': {
    path: {
      /** Id of the destination */
      id: string
    }
    query: undefined
    body: {
      users?: Array<string> | undefined
      groups?: Array<string> | undefined
    }
    response: {
      users: Array<{
        id: string
        name: string | null
      }>
      groups: Array<{
        id: string
        name: string | null
      }>
    }
  }
  /** Show the elements of a file, without storing it */
  'POST /api/v1/elements': {
    path: undefined
    query: {
      /** Name of the file; its ending helps to find the type */
      filename?: string | undefined
    } | undefined
    body: Blob
    response: {
      filetype: string
      total: number
      elements: Array<Element>
    }
  }
  /** Get the elements of an uploaded file */
  'GET /api/v1/jobs/{id}/download': {
    path: {
      /** Id of the job */
      id: string
    }
    query: {
      /** Id of the uploaded file */
      file_id: string
      /** Id of the pipeline node whose output to get; the last one by default */
      node_id?: string | undefined
    }
    body: undefined
    response: Array<Record<string, unknown>>
  }
  /** List connector types with the schema of their settings */
  'GET /api/v1/connector-types': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<ConnectorType>
  }
  /** List pipeline templates */
  'GET /api/v1/templates': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<{
      id: string
      name: string
      description: string
      version: string
      last_updated: string
    }>
  }
  /** List models and whether they are configured */
  'GET /api/v1/models': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<Model>
  }
  /** Get a pipeline template */
  'GET /api/v1/templates/{id}': {
    path: {
      /** Id of the template */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      name: string
      description: string
      version: string
      last_updated: string
      nodes: Array<WorkflowNode>
    }
  }
  /** List notifications */
  'GET /api/v1/notifications': {
    path: undefined
    query: {
      /** Only what belongs to this workflow */
      workflow_id?: string | undefined
      /** Comma-separated: job.scheduled, job.in_progress, job.progress, job.completed, job.stopped, job.failed, deletions.held_back, permissions.too_old, connector.failing, channel.disabled */
      event_types?: string | undefined
      /** Events at this time or later */
      since?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Only unread notifications */
      unread_only?: "true" | "false" | "1" | "0" | "yes" | "no" | "on" | "off" | "y" | "n" | "enabled" | "disabled" | undefined
    } | undefined
    body: undefined
    response: {
      events: Array<{
        id: string
        event_type: string
        workflow_id: string | null
        /** The body that webhooks receive */
        payload: Record<string, unknown>
        created_at: string
        is_read: boolean
      }>
      next_cursor: string | null
    }
  }
  /** Count unread notifications */
  'GET /api/v1/notifications/unread-count': {
    path: undefined
    query: {
      /** Comma-separated: job.scheduled, job.in_progress, job.progress, job.completed, job.stopped, job.failed, deletions.held_back, permissions.too_old, connector.failing, channel.disabled */
      event_types?: string | undefined
    } | undefined
    body: undefined
    response: {
      unread_count: number
    }
  }
  /** Mark notifications as read */
  'POST /api/v1/notifications/mark-read': {
    path: undefined
    query: undefined
    body: {
      notification_ids: Array<string>
      before?: null | undefined
      mark_all?: false | null | undefined
      workflow_id?: null | undefined
    } | {
      /** Events before this time */
      before: string
      notification_ids?: null | undefined
      mark_all?: false | null | undefined
      workflow_id?: string | null | undefined
    } | {
      mark_all: true
      notification_ids?: null | undefined
      before?: null | undefined
      workflow_id?: string | null | undefined
    }
    response: {
      marked_count: number
    }
  }
  /** Get a notification */
  'GET /api/v1/notifications/{notification_id}': {
    path: {
      /** Id of the notification */
      notification_id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      event_type: string
      workflow_id: string | null
      /** The body that webhooks receive */
      payload: Record<string, unknown>
      created_at: string
      is_read: boolean
    }
  }
  /** List channels of the workspace */
  'GET /api/v1/notifications/channels': {
    path: undefined
    query: {
      /** Only channels of this type */
      channel_type: "webhook" | "email"
      /** Only channels that are enabled, or that are not */
      enabled?: "true" | "false" | "1" | "0" | "yes" | "no" | "on" | "off" | "y" | "n" | "enabled" | "disabled" | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    }
    body: undefined
    response: {
      items: Array<{
        id: string
        channel_type: "webhook"
        event_types: Array<string>
        enabled: boolean
        url: string
        description: string | null
        workflow_id: string | null
        created_at: string
        updated_at: string
        /** Why the service disabled it: the receiver responded with 410, or failed for five days */
        disabled_reason: "gone" | "failing" | null
        /** The first failure after the last success */
        failing_since: string | null
      }>
    }
  }
  /** Create a channel of the workspace */
  'POST /api/v1/notifications/channels': {
    path: undefined
    query: undefined
    body: {
      channel_type: "webhook"
      event_types: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled">
      /** https, or http for a host that the service operator allows */
      url: string
      description?: string | null | undefined
      /** Default: true */
      enabled?: boolean | null | undefined
      /** `whsec_` and the base64 of 24 to 75 bytes; without it, the response shows a new one once */
      secret?: string | null | undefined
    } | {
      channel_type: "email"
      event_types: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled">
      email_config: {
        recipient_email: string
        cc?: Array<string> | null | undefined
        reply_to?: string | null | undefined
      }
      enabled?: boolean | null | undefined
    }
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
      /** Only right after the service created it */
      secret?: string | undefined
    }
  }
  /** Get a channel of the workspace */
  'GET /api/v1/notifications/channels/{channel_id}': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
    }
  }
  /** Change a channel of the workspace */
  'PATCH /api/v1/notifications/channels/{channel_id}': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: {
      channel_type?: "webhook" | undefined
      event_types?: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled"> | undefined
      /** https, or http for a host that the service operator allows */
      url?: string | undefined
      description?: string | null | undefined
      enabled?: boolean | null | undefined
      /** Empty for a new one, which the response shows once */
      secret?: string | null | undefined
    }
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
      /** Only right after the service created it */
      secret?: string | undefined
    }
  }
  /** Delete a channel of the workspace */
  'DELETE /api/v1/notifications/channels/{channel_id}': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: undefined
  }
  /** Restore a channel of the workspace within 30 seconds of its deletion, without its deliveries */
  'POST /api/v1/notifications/channels/{channel_id}/restore': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
    }
  }
  /** Verify a channel of the workspace with a code */
  'POST /api/v1/notifications/channels/{channel_id}/verify': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: {
      code: string
    }
    response: undefined
  }
  /** List deliveries to a channel of the workspace */
  'GET /api/v1/notifications/channels/{channel_id}/deliveries': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: {
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    } | undefined
    body: undefined
    response: {
      items: Array<{
        /** Sent as webhook-id */
        id: string
        event_type: string
        status: "pending" | "delivered" | "failed"
        attempts: number
        response_status: number | null
        error: string | null
        created_at: string
        last_attempt_at: string | null
        next_attempt_at: string | null
      }>
      next: string | null
    }
  }
  /** Send a test event to a channel of the workspace */
  'POST /api/v1/notifications/channels/{channel_id}/test': {
    path: {
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: Record<string, never> | null | undefined
    response: {
      /** Sent as webhook-id */
      id: string
      event_type: string
      status: "pending" | "delivered" | "failed"
      attempts: number
      response_status: number | null
      error: string | null
      created_at: string
      last_attempt_at: string | null
      next_attempt_at: string | null
    }
  }
  /** Repeat a delivery to a channel of the workspace */
  'POST /api/v1/notifications/channels/{channel_id}/deliveries/{delivery_id}/replay': {
    path: {
      /** Id of the channel */
      channel_id: string
      /** Id of the delivery */
      delivery_id: string
    }
    query: undefined
    body: Record<string, never> | null | undefined
    response: {
      /** Sent as webhook-id */
      id: string
      event_type: string
      status: "pending" | "delivered" | "failed"
      attempts: number
      response_status: number | null
      error: string | null
      created_at: string
      last_attempt_at: string | null
      next_attempt_at: string | null
    }
  }
  /** List channels of a workflow */
  'GET /api/v1/workflows/{workflow_id}/notifications/channels': {
    path: {
      /** Id of the workflow */
      workflow_id: string
    }
    query: {
      /** Only channels of this type */
      channel_type: "webhook" | "email"
      /** Only channels that are enabled, or that are not */
      enabled?: "true" | "false" | "1" | "0" | "yes" | "no" | "on" | "off" | "y" | "n" | "enabled" | "disabled" | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    }
    body: undefined
    response: {
      items: Array<{
        id: string
        channel_type: "webhook"
        event_types: Array<string>
        enabled: boolean
        url: string
        description: string | null
        workflow_id: string | null
        created_at: string
        updated_at: string
        /** Why the service disabled it: the receiver responded with 410, or failed for five days */
        disabled_reason: "gone" | "failing" | null
        /** The first failure after the last success */
        failing_since: string | null
      }>
    }
  }
  /** Create a channel of a workflow */
  'POST /api/v1/workflows/{workflow_id}/notifications/channels': {
    path: {
      /** Id of the workflow */
      workflow_id: string
    }
    query: undefined
    body: {
      channel_type: "webhook"
      event_types: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled">
      /** https, or http for a host that the service operator allows */
      url: string
      description?: string | null | undefined
      /** Default: true */
      enabled?: boolean | null | undefined
      /** `whsec_` and the base64 of 24 to 75 bytes; without it, the response shows a new one once */
      secret?: string | null | undefined
    } | {
      channel_type: "email"
      event_types: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled">
      email_config: {
        recipient_email: string
        cc?: Array<string> | null | undefined
        reply_to?: string | null | undefined
      }
      enabled?: boolean | null | undefined
    }
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
      /** Only right after the service created it */
      secret?: string | undefined
    }
  }
  /** Get a channel of a workflow */
  'GET /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
    }
  }
  /** Change a channel of a workflow */
  'PATCH /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: {
      channel_type?: "webhook" | undefined
      event_types?: Array<"job.scheduled" | "job.in_progress" | "job.progress" | "job.completed" | "job.stopped" | "job.failed" | "deletions.held_back" | "permissions.too_old" | "connector.failing" | "channel.disabled"> | undefined
      /** https, or http for a host that the service operator allows */
      url?: string | undefined
      description?: string | null | undefined
      enabled?: boolean | null | undefined
      /** Empty for a new one, which the response shows once */
      secret?: string | null | undefined
    }
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
      /** Only right after the service created it */
      secret?: string | undefined
    }
  }
  /** Delete a channel of a workflow */
  'DELETE /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: undefined
  }
  /** Restore a channel of a workflow within 30 seconds of its deletion, without its deliveries */
  'POST /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}/restore': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      channel_type: "webhook"
      event_types: Array<string>
      enabled: boolean
      url: string
      description: string | null
      workflow_id: string | null
      created_at: string
      updated_at: string
      /** Why the service disabled it: the receiver responded with 410, or failed for five days */
      disabled_reason: "gone" | "failing" | null
      /** The first failure after the last success */
      failing_since: string | null
    }
  }
  /** Verify a channel of a workflow with a code */
  'POST /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}/verify': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: {
      code: string
    }
    response: undefined
  }
  /** List deliveries to a channel of a workflow */
  'GET /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}/deliveries': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: {
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    } | undefined
    body: undefined
    response: {
      items: Array<{
        /** Sent as webhook-id */
        id: string
        event_type: string
        status: "pending" | "delivered" | "failed"
        attempts: number
        response_status: number | null
        error: string | null
        created_at: string
        last_attempt_at: string | null
        next_attempt_at: string | null
      }>
      next: string | null
    }
  }
  /** Send a test event to a channel of a workflow */
  'POST /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}/test': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
    }
    query: undefined
    body: Record<string, never> | null | undefined
    response: {
      /** Sent as webhook-id */
      id: string
      event_type: string
      status: "pending" | "delivered" | "failed"
      attempts: number
      response_status: number | null
      error: string | null
      created_at: string
      last_attempt_at: string | null
      next_attempt_at: string | null
    }
  }
  /** Repeat a delivery to a channel of a workflow */
  'POST /api/v1/workflows/{workflow_id}/notifications/channels/{channel_id}/deliveries/{delivery_id}/replay': {
    path: {
      /** Id of the workflow */
      workflow_id: string
      /** Id of the channel */
      channel_id: string
      /** Id of the delivery */
      delivery_id: string
    }
    query: undefined
    body: Record<string, never> | null | undefined
    response: {
      /** Sent as webhook-id */
      id: string
      event_type: string
      status: "pending" | "delivered" | "failed"
      attempts: number
      response_status: number | null
      error: string | null
      created_at: string
      last_attempt_at: string | null
      next_attempt_at: string | null
    }
  }
  /** Show whether the service needs its first account */
  'GET /api/v1/setup': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      needed: boolean
      oidc: boolean
    }
  }
  /** Create the first account with the set-up link */
  'POST /api/v1/setup': {
    path: undefined
    query: undefined
    body: {
      token: string
      email: string
      name: string
      password: string
      tier: "personal" | "business"
      organisation?: string | null | undefined
    }
    response: Session
  }
  /** Get the signed-in person and their workspaces */
  'GET /api/v1/session': {
    path: undefined
    query: undefined
    body: undefined
    response: Session
  }
  /** Change a personal account into a business account */
  'POST /api/v1/account': {
    path: undefined
    query: undefined
    body: {
      tier: "business"
      organisation: string
    }
    response: Session
  }
  /** Change your own name */
  'PATCH /api/v1/account': {
    path: undefined
    query: undefined
    body: {
      name: string
    }
    response: Session
  }
  /** Change your own e-mail address */
  'POST /api/v1/account/email': {
    path: undefined
    query: undefined
    body: {
      email: string
      password: string
    }
    response: Session
  }
  /** List your workspaces */
  'GET /api/v1/workspaces': {
    path: undefined
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<Workspace>
  }
  /** Create a workspace */
  'POST /api/v1/workspaces': {
    path: undefined
    query: undefined
    body: {
      name: string
    }
    response: Workspace
  }
  /** Rename a workspace */
  'PATCH /api/v1/workspaces/{workspace_id}': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: undefined
    body: {
      name?: string | undefined
      admits_readers?: boolean | undefined
    }
    response: Workspace
  }
  /** Delete a workspace with everything in it; indexes keep their elements */
  'DELETE /api/v1/workspaces/{workspace_id}': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** List members of a workspace */
  'GET /api/v1/workspaces/{workspace_id}/members': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<{
      user_id: string
      email: string
      name: string
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
      joined_at: string
    }>
  }
  /** Change the role of a member */
  'PUT /api/v1/workspaces/{workspace_id}/members/{user_id}': {
    path: {
      /** Id of the workspace */
      workspace_id: string
      /** Id of the member */
      user_id: string
    }
    query: undefined
    body: {
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
      disable_keys?: boolean | undefined
    }
    response: {
      user_id: string
      email: string
      name: string
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
      joined_at: string
    }
  }
  /** Remove a member */
  'DELETE /api/v1/workspaces/{workspace_id}/members/{user_id}': {
    path: {
      /** Id of the workspace */
      workspace_id: string
      /** Id of the member */
      user_id: string
    }
    query: {
      /** Whether to disable the keys of the member too */
      disable_keys?: "true" | "false" | undefined
    } | undefined
    body: undefined
    response: Record<string, never>
  }
  /** List keys that a member created */
  'GET /api/v1/workspaces/{workspace_id}/members/{user_id}/keys': {
    path: {
      /** Id of the workspace */
      workspace_id: string
      /** Id of the member */
      user_id: string
    }
    query: undefined
    body: undefined
    response: Array<{
      workspace_id: string
      workspace: string
      keys: number
    }>
  }
  /** Leave a workspace */
  'POST /api/v1/workspaces/{workspace_id}/leave': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: undefined
    body: Record<string, never> | null | undefined
    response: Record<string, never>
  }
  /** Leave the organisation */
  'POST /api/v1/organisation/leave': {
    path: undefined
    query: undefined
    body: Record<string, never> | null | undefined
    response: Record<string, never>
  }
  /** Create a password link for a member */
  'POST /api/v1/workspaces/{workspace_id}/members/{user_id}/reset-link': {
    path: {
      /** Id of the workspace */
      workspace_id: string
      /** Id of the member */
      user_id: string
    }
    query: undefined
    body: undefined
    response: {
      link: string
      expires_at: string
    }
  }
  /** Get the address that a password link is for */
  'GET /api/v1/password-resets/{token}': {
    path: {
      /** Token of the password reset */
      token: string
    }
    query: undefined
    body: undefined
    response: {
      email: string
    }
  }
  /** Set a password with a password link */
  'POST /api/v1/password-resets/{token}': {
    path: {
      /** Token of the password reset */
      token: string
    }
    query: undefined
    body: {
      password: string
    }
    response: Session
  }
  /** List invitations that are not accepted yet */
  'GET /api/v1/workspaces/{workspace_id}/invitations': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<{
      id: string
      email: string
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
      invited_by: {
        id: string
        name: string
      } | null
      expires_at: string
    }>
  }
  /** Invite a person */
  'POST /api/v1/workspaces/{workspace_id}/invitations': {
    path: {
      /** Id of the workspace */
      workspace_id: string
    }
    query: undefined
    body: {
      email: string
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
    }
    response: {
      id: string
      link: string
      expires_at: string
    }
  }
  /** Delete an invitation */
  'DELETE /api/v1/workspaces/{workspace_id}/invitations/{id}': {
    path: {
      /** Id of the workspace */
      workspace_id: string
      /** Id of the invitation */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Get an invitation by its link */
  'GET /api/v1/invitations/{token}': {
    path: {
      /** Token of the invitation */
      token: string
    }
    query: undefined
    body: undefined
    response: {
      workspace: string
      organisation: string | null
      email: string
      role: "reader" | "viewer" | "operator" | "developer" | "administrator"
    }
  }
  /** Accept an invitation */
  'POST /api/v1/invitations/{token}/accept': {
    path: {
      /** Token of the invitation */
      token: string
    }
    query: undefined
    body: {
      name?: string | undefined
      password?: string | undefined
    } | null | undefined
    response: Session
  }
  /** List API keys */
  'GET /api/v1/keys': {
    path: undefined
    query: {
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<{
      id: string
      name: string
      last_four: string
      created_by: {
        id: string
        name: string
      } | null
      created_at: string
      last_used_at: string | null
      enabled: boolean
      scope: "full" | "search"
      destination_ids: Array<string>
      may_impersonate: boolean
      expires_at: string | null
    }>
  }
  /** Create an API key */
  'POST /api/v1/keys': {
    path: undefined
    query: undefined
    body: {
      name: string
      scope?: "full" | "search" | undefined
      destination_ids?: Array<string> | undefined
      may_impersonate?: boolean | undefined
      expires_at?: string | null | undefined
    }
    response: {
      id: string
      name: string
      last_four: string
      created_by: {
        id: string
        name: string
      } | null
      created_at: string
      last_used_at: string | null
      enabled: boolean
      scope: "full" | "search"
      destination_ids: Array<string>
      may_impersonate: boolean
      expires_at: string | null
      key: string
    }
  }
  /** Show an API key again */
  'POST /api/v1/keys/{id}/reveal': {
    path: {
      /** Id of the key */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      key: string
    }
  }
  /** Enable or disable an API key */
  'PATCH /api/v1/keys/{id}': {
    path: {
      /** Id of the key */
      id: string
    }
    query: undefined
    body: {
      enabled: boolean
    }
    response: {
      id: string
      name: string
      last_four: string
      created_by: {
        id: string
        name: string
      } | null
      created_at: string
      last_used_at: string | null
      enabled: boolean
      scope: "full" | "search"
      destination_ids: Array<string>
      may_impersonate: boolean
      expires_at: string | null
    }
  }
  /** Delete an API key */
  'DELETE /api/v1/keys/{id}': {
    path: {
      /** Id of the key */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Restore an API key within 30 seconds of its deletion */
  'POST /api/v1/keys/{id}/restore': {
    path: {
      /** Id of the key */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      name: string
      last_four: string
      created_by: {
        id: string
        name: string
      } | null
      created_at: string
      last_used_at: string | null
      enabled: boolean
      scope: "full" | "search"
      destination_ids: Array<string>
      may_impersonate: boolean
      expires_at: string | null
    }
  }
  /** List personal tokens */
  'GET /api/v1/personal-tokens': {
    path: undefined
    query: {
      /** Whose tokens to list; only administrators may list all */
      of?: "me" | "all" | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** `x-next-cursor` of the previous response; it is absent at the end of the list */
      cursor?: string | undefined
    } | undefined
    body: undefined
    response: Array<{
      id: string
      name: string
      last_four: string
      person: {
        id: string
        name: string
      }
      destination_ids: Array<string>
      created_at: string
      expires_at: string
      last_used_at: string | null
      enabled: boolean
    }>
  }
  /** Create a personal token */
  'POST /api/v1/personal-tokens': {
    path: undefined
    query: undefined
    body: {
      name: string
      expires_in_days?: number | undefined
      destination_ids?: Array<string> | undefined
    }
    response: {
      id: string
      name: string
      last_four: string
      person: {
        id: string
        name: string
      }
      destination_ids: Array<string>
      created_at: string
      expires_at: string
      last_used_at: string | null
      enabled: boolean
      token: string
    }
  }
  /** Delete a personal token */
  'DELETE /api/v1/personal-tokens/{id}': {
    path: {
      /** Id of the personal token */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Restore a personal token within 30 seconds of its deletion */
  'POST /api/v1/personal-tokens/{id}/restore': {
    path: {
      /** Id of the personal token */
      id: string
    }
    query: undefined
    body: undefined
    response: {
      id: string
      name: string
      last_four: string
      person: {
        id: string
        name: string
      }
      destination_ids: Array<string>
      created_at: string
      expires_at: string
      last_used_at: string | null
      enabled: boolean
    }
  }
  /** Get the settings of person tokens */
  'GET /api/v1/identity': {
    path: undefined
    query: undefined
    body: undefined
    response: {
      issuer: string
      audience: string
      jwks_url: string | null
      claim: string
      mapping: "account_id" | "email" | "table"
      trust_email: boolean
    }
  }
  /** Change the settings of person tokens */
  'PUT /api/v1/identity': {
    path: undefined
    query: undefined
    body: {
      issuer: string
      audience: string
      jwks_url?: string | null | undefined
      claim?: string | null | undefined
      mapping: "account_id" | "email" | "table"
      trust_email?: boolean | undefined
    }
    response: {
      issuer: string
      audience: string
      jwks_url: string | null
      claim: string
      mapping: "account_id" | "email" | "table"
      trust_email: boolean
    }
  }
  /** Turn person tokens off */
  'DELETE /api/v1/identity': {
    path: undefined
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Show which person a token belongs to */
  'POST /api/v1/identity/test': {
    path: undefined
    query: undefined
    body: {
      token: string
    }
    response: {
      valid: boolean
      code: string | null
      reason: string | null
      person: {
        issuer: string
        audience: Array<string>
        subject: string | null
        claim: string
        value: string
        mapping: "account_id" | "email" | "table"
        expires_at: string
      } | null
      sources: Array<{
        source_id: string
        name: string
        account: string | null
        reason: string | null
      }>
    }
  }
  /** Import identities of a source */
  'PUT /api/v1/identities': {
    path: undefined
    query: {
      /** Only what belongs to this source */
      source_id?: string | undefined
      /** Whether the import replaces all imported identities of the source */
      replace?: "true" | "false" | undefined
    } | undefined
    body: {
      source_id: string
      identities: Array<{
        email?: string | undefined
        claim?: string | undefined
        account: string
      }>
      /** Whether it replaces all imported identities of the source */
      replace?: boolean | undefined
    }
    response: {
      imported: number
      total: number
      ambiguous: number
    }
  }
  /** List identities: people with their accounts in sources */
  'GET /api/v1/identities': {
    path: undefined
    query: {
      /** Only what belongs to this source */
      source_id?: string | undefined
      /** Only jobs of this kind */
      kind?: "email" | "claim" | "member" | undefined
      /** Only identities of this origin */
      origin?: "import" | "source" | "link" | undefined
      /** Part of a name */
      query?: string | undefined
      /** Only identities with several accounts for one person */
      ambiguous?: "true" | "false" | undefined
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    } | undefined
    body: undefined
    response: {
      items: Array<{
        id: string
        source_id: string
        kind: "email" | "claim" | "member"
        value: string
        member: string | null
        account: string
        origin: "import" | "source" | "link"
        ambiguous: boolean
        created_at: string
      }>
      next: string | null
      counts: {
        total: number
        import: number
        source: number
        link: number
        ambiguous: number
      }
    }
  }
  /** Export identities as CSV */
  'GET /api/v1/identities.csv': {
    path: undefined
    query: {
      /** Only what belongs to this source */
      source_id: string
    }
    body: undefined
    response: undefined
  }
  /** List accounts and claims without a match */
  'GET /api/v1/identities/unmatched': {
    path: undefined
    query: {
      /** Only what belongs to this source */
      source_id: string
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
    }
    body: undefined
    response: {
      accounts: Array<{
        account: string
        name: string | null
      }>
      next: string | null
      claims: Array<{
        kind: "email" | "claim"
        value: string
        reason: "unknown" | "ambiguous"
        seen_at: string
      }>
      read_at: string | null
    }
  }
  /** Delete an identity */
  'DELETE /api/v1/identities/{id}': {
    path: {
      /** Id of the identity */
      id: string
    }
    query: undefined
    body: undefined
    response: Record<string, never>
  }
  /** Match accounts of a source by e-mail */
  'POST /api/v1/identities/fill': {
    path: undefined
    query: undefined
    body: {
      source_id: string
    }
    response: {
      accounts: number
      emails: number
    }
  }
  /** List your own accounts in sources */
  'GET /api/v1/identities/own': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<{
      source_id: string
      name: string
      address: string | null
      account: string | null
      linked: boolean
      can_link: boolean
    }>
  }
  /** Link your own account in a source */
  'POST /api/v1/identities/link': {
    path: undefined
    query: undefined
    body: {
      source_id: string
      username?: string | undefined
      token: string
    }
    response: {
      source_id: string
      account: string
      name: string | null
    }
  }
  /** Remove the link to your own account in a source */
  'DELETE /api/v1/identities/link': {
    path: undefined
    query: {
      /** Only what belongs to this source */
      source_id: string
    }
    body: undefined
    response: Record<string, never>
  }
  /** List or export entries of the audit log */
  'GET /api/v1/audit': {
    path: undefined
    query: {
      /** The `next` or `previous` of another response */
      cursor?: string | undefined
      /** Most entries in one response */
      limit?: number | undefined
      /** Comma-separated, such as create_source,delete_source */
      action?: string | undefined
      /** Such as person:ID or key:ID; GET /audit/actors lists them */
      actor?: string | undefined
      /** Entries at this time or later */
      from?: string | undefined
      /** Entries before this time */
      to?: string | undefined
      /** In the name of the actor, the action or the subject */
      text?: string | undefined
      /** csv and jsonl: at most 100,000 entries */
      format?: "json" | "csv" | "jsonl" | undefined
    } | undefined
    body: undefined
    response: {
      items: Array<{
        id: string
        at: string
        actor: string
        actor_name: string | null
        action: string
        subject: string
        /** Ids and names of the subject, as they were then */
        details: Record<string, unknown>
      }>
      next: string | null
    } | string
  }
  /** List people and keys with entries in the audit log */
  'GET /api/v1/audit/actors': {
    path: undefined
    query: undefined
    body: undefined
    response: Array<{
      actor: string
      name: string | null
    }>
  }
  /** Partition files, without storing them */
  'POST /general/v0/general': {
    path: undefined
    query: undefined
    body: FormData
    response: Array<unknown>
  }
}
