/** Every column of values that a vault sealed, in tables with `id` and `workspace_id`; a test compares it with the schema. */
export const sealedColumns = [
  { table: 'connectors', column: 'secrets' },
  { table: 'api_keys', column: 'sealed' },
  { table: 'notification_channels', column: 'secret' },
  { table: 'notification_channels', column: 'old_secret' },
] as const
