/** The sample wiki runs inside the service; browsers cannot resolve its name. */
const SAMPLE_HOST = 'sample-wiki.millrace.internal'

/** Whether a browser can open a document's address. */
export function isOpenable(url: string | null): boolean {
  const { protocol, hostname } = (url ? URL.parse(url) : null) ?? {}
  return (protocol === 'https:' || protocol === 'http:') && hostname !== SAMPLE_HOST
}
