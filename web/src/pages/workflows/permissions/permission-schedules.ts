/** As in src/workflows/schedule.ts. */
export const DEFAULT_SCHEDULE = 'every 15 minutes'
export const DEFAULT_MAX_AGE_HOURS = 24

export const permissionSchedules: readonly string[] = [
  'every 1 minute',
  ...[5, 15, 30, 60, 240, 1440].map((minutes) => `every ${minutes} minutes`),
  'off',
]
