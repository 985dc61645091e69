/** The site of a document: its record id up to the last slash. */
export function siteOfRecord(recordId: string): string {
  return recordId.slice(0, Math.max(0, recordId.lastIndexOf('/')))
}
