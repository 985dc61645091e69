/** What someone should look at; the bell counts these. */
export const problemEvents = [
  'job.failed',
  'deletions.held_back',
  'permissions.too_old',
  'connector.failing',
  'channel.disabled',
] as const
