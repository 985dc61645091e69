/** Notices and where they are sent. */
export const notifications = [
  `create table notification_channels (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    workflow_id uuid references workflows on delete cascade,
    url text not null,
    description text,
    event_types text[] not null,
    enabled boolean not null,
    disabled_reason text check (disabled_reason in ('gone', 'failing')),
    secret bytea not null,
    old_secret bytea,
    old_secret_until timestamptz,
    failing_since timestamptz,
    paused_until timestamptz,
    created_at timestamp(3) with time zone not null default now(),
    updated_at timestamp(3) with time zone not null default now()
  )`,
  `create index on notification_channels (workspace_id, workflow_id)`,
  // Milliseconds, as in the API, so that a client can compare times.
  `create table notifications (
    id uuid primary key,
    sequence bigint not null generated always as identity,
    workspace_id uuid not null references workspaces on delete cascade,
    workflow_id uuid,
    event_type text not null,
    payload jsonb not null,
    created_at timestamp(3) with time zone not null default now()
  )`,
  `create index on notifications (workspace_id, sequence desc)`,
  // 'reader' is person:ID, or key for all API keys of the workspace.
  `create table notification_reads (
    notification_id uuid references notifications on delete cascade,
    reader text,
    primary key (notification_id, reader)
  )`,
  // States that last, so that each is reported once until it ends.
  `create table notice_conditions (
    event_type text,
    subject uuid,
    workspace_id uuid not null references workspaces on delete cascade,
    since timestamptz not null default now(),
    failures integer not null default 1,
    primary key (event_type, subject)
  )`,
  // Written in the transaction of the event; a worker sends it later.
  `create table webhook_deliveries (
    id uuid primary key,
    sequence bigint not null generated always as identity,
    channel_id uuid not null references notification_channels on delete cascade,
    workspace_id uuid not null,
    event_type text not null,
    body text not null,
    status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
    attempts integer not null default 0,
    max_attempts integer not null,
    response_status integer,
    error text,
    next_attempt_at timestamptz default now(),
    last_attempt_at timestamptz,
    created_at timestamp(3) with time zone not null default now()
  )`,
  `create index on webhook_deliveries (channel_id, next_attempt_at) where (status = 'pending')`,
  `create index on webhook_deliveries (channel_id, sequence desc)`,
  `create index on webhook_deliveries (workspace_id, sequence desc)`,
]
