/** The path below which a proxy serves the page, such as `/millrace`; empty without one. */
export const basePath = readBasePath()

/** The address of the service for programs. */
export function serviceAddress(): string {
  return window.location.origin + basePath
}

/** The path of the browser as the router knows it. */
export function withoutBasePath(path: string): string {
  return basePath && path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path
}

function readBasePath(): string {
  if (typeof document === 'undefined') return ''
  const path = document.querySelector<HTMLMetaElement>('meta[name="base-path"]')?.content ?? ''
  // The development server does not fill it in.
  return path.startsWith('/') ? path : ''
}
