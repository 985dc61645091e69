import { basePath } from './base-path.ts'
import { ApiError } from './errors.ts'

/** A page of the documentation, by its path in the repository. */
export function helpAddress(path: string): string {
  return `${basePath}/help/${path.replace(/^docs\//, '').replace(/\.md$/, '')}`
}

/** What the documentation says about an error. */
export function helpOnError(error: unknown): string {
  if (error instanceof ApiError && error.code) return `${helpAddress('docs/errors.md')}#${error.code}`
  return helpAddress('docs/page/trouble.md')
}
