/** How often a run lists documents that change after each listing. */
export const MAX_LISTINGS = 3
/** How often a run lists documents that exist in the source but are missing from a listing. */
export const MAX_LISTINGS_FOR_MOVED = 2
/** The error of a document that changed after every listing. */
export const CHANGED_TOO_OFTEN = {
  code: 'source_misread',
  message: 'the document kept changing while the job ran; the next run tries again',
}

/** Permissions older than this are read again before they are written. */
const MAX_PERMISSIONS_AGE_MS = 30 * 60_000

/** When permissions of a listing have to be read again. */
export function permissionsExpiry(asOf: Date): Date {
  return new Date(asOf.getTime() + MAX_PERMISSIONS_AGE_MS)
}

/** Whether the permissions have to be read again before a write. */
export function isExpired({ expiresAt }: { expiresAt?: Date }): boolean {
  return expiresAt !== undefined && Date.now() > expiresAt.getTime()
}
