/** How a person chooses a schedule; `cron` is for all others. */
export type Choice =
  | { mode: 'never' }
  | { mode: 'interval'; phrase: string }
  | { mode: 'daily'; time: string }
  | { mode: 'weekly'; time: string; days: number[] }
  | { mode: 'monthly'; time: string; day: number }
  | { mode: 'cron'; cron: string }
