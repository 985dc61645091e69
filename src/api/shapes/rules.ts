import { z } from 'zod'

/** For requests that need no body; clients may send an empty object. */
export const noBody = z.strictObject({}).nullish()

// Rules that a schema checks in code, written for the OpenAPI document.

/** For text that is trimmed and may not be empty then. */
export const NOT_BLANK = { pattern: '\\S' }

/** The words that `z.stringbool` accepts. */
export const BOOLEAN_WORDS = {
  enum: ['true', 'false', '1', '0', 'yes', 'no', 'on', 'off', 'y', 'n', 'enabled', 'disabled'],
}
