/** How often documents that changed after they were listed are listed again before the next run has to do. */
export const MAX_LISTINGS = 3
/** Likewise documents that a listing missed; what it cannot show it seldom can a moment later. */
export const MISSED_LISTINGS = 2
export const KEPT_CHANGING = {
  code: 'source_misread',
  message: 'it kept changing while the job ran; the next run has it',
}

/** Rights are as old as the listing that told them: beyond this they are asked for again before they are written. */
export const FRESH_MS = 30 * 60_000

/** The grain of work: large enough to batch requests, small enough to be done again. */
export const SLICE = 50
