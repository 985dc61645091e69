import { AppError, explain } from '../errors.ts'

/** What the shell is told. */
export const EXIT = {
  well: 0,
  /** Some documents failed, the listing was incomplete, or deletions were held back. */
  partly: 1,
  /** Bad configuration, or no such job file. */
  badConfiguration: 2,
  /** Could not start: the wiki or the index cannot be reached, or does not let us in. */
  couldNotStart: 3,
  /** As shells have it for Ctrl-C. */
  interrupted: 130,
}

/** A wrong command or flag; `help` is the command whose help text has the right ones. */
export class UsageError extends Error {
  readonly help: string
  constructor(message: string, help = '') {
    super(message)
    this.help = help
  }
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.badConfiguration
  if (error instanceof AppError && error.code === 'invalid_request') return EXIT.badConfiguration
  return EXIT.couldNotStart
}

export function messageOf(error: unknown): string {
  if (error instanceof UsageError) {
    return `${error.message}\nSee: millrace-ingest ${error.help ? `${error.help} ` : ''}--help`
  }
  if (error instanceof AppError) return explain(error).message
  // Nobody foresaw it: the place helps whoever mends it.
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
