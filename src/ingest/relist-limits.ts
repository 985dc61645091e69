/** How often a run lists again what changed after its listing. */
export const MAX_LISTINGS = 3
/** How often a run lists again what a listing missed. */
export const MISSED_LISTINGS = 2
export const KEPT_CHANGING = {
  code: 'source_misread',
  message: 'it kept changing while the job ran; the next run has it',
}

/** Permissions older than this are read again before they are written. */
export const FRESH_MS = 30 * 60_000

/** Documents of a slice: enough to batch requests, few enough to repeat. */
export const SLICE = 50
