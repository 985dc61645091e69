/** The address to return to, never on another site. */
export function safeReturnAddress(address: string | undefined, origin = window.location.origin): string {
  if (!address?.startsWith('/')) return '/'
  try {
    const url = new URL(address, origin)
    return url.origin === origin ? url.pathname + url.search + url.hash : '/'
  } catch {
    return '/'
  }
}
