/** An address of our own to go back to. Whatever a link puts there, nobody is sent to another site by it. */
export function safeReturn(address: string | undefined, origin = window.location.origin): string {
  if (!address?.startsWith('/')) return '/'
  try {
    const url = new URL(address, origin)
    return url.origin === origin ? url.pathname + url.search + url.hash : '/'
  } catch {
    return '/'
  }
}
