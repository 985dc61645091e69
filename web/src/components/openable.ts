/** The name of the sample wiki that the service holds itself: no browser finds it. */
const SAMPLE_HOST = 'sample-wiki.millrace.internal'

/** Whether an address that a wiki gave leads to a page that a browser can open. */
export function isOpenable(url: string | null): boolean {
  const { protocol, hostname } = (url ? URL.parse(url) : null) ?? {}
  return (protocol === 'https:' || protocol === 'http:') && hostname !== SAMPLE_HOST
}
