/** How often a run lists documents again that changed after their listing. */
export const MAX_LISTINGS = 3
/** How often a run lists again to find documents that a listing missed. */
export const MISSED_LISTINGS = 2
export const KEPT_CHANGING = {
  code: 'source_misread',
  message: 'the document kept changing while the job ran; the next run tries again',
}

/** Permissions older than this are read again before they are written. */
export const FRESH_MS = 30 * 60_000

/** Documents per slice: enough to batch requests, few enough to retry. */
export const SLICE = 50
