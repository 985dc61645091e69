import { AppError, explain } from '../errors.ts'

/** Exit codes. */
export const EXIT = {
  ok: 0,
  /** Some documents failed, the listing was incomplete, or removals wait for approval. */
  incomplete: 1,
  /** Bad configuration, or no job file. */
  badConfiguration: 2,
  /** The source or the destination cannot be reached or refuses the credentials. */
  couldNotStart: 3,
  /** The convention of shells for Ctrl-C. */
  interrupted: 130,
}

/** A wrong command or flag; `help` names the command whose help to show. */
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
  // An unexpected error: the stack helps to fix it.
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
