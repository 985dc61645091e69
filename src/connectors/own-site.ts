import { AppError } from '../errors.ts'
import { siteOfRecord } from '../record-id.ts'

/** An error if the document belongs to another site: its id may mean another document here. */
export function otherSiteError({ recordId }: { recordId: string }, site: string): AppError | null {
  if (siteOfRecord(recordId) === site) return null
  return new AppError(
    'other_site',
    `reading ${recordId}: it does not belong to ${site}, the site of the source`,
    {
      fix: 'Run the workflow again, which lists the documents of this site',
    },
  )
}
