/** Hosts inside the service, such as the sample's; browsers cannot resolve them. */
const SERVICE_DOMAIN = '.millrace.internal'

/** Whether a browser can open a document's address. */
export function isOpenable(url: string | null): boolean {
  const { protocol, hostname } = (url ? URL.parse(url) : null) ?? {}
  return (protocol === 'https:' || protocol === 'http:') && !hostname?.endsWith(SERVICE_DOMAIN)
}
