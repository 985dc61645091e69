import type { ResponseOf } from '../../service/types.ts'

export type Overview = ResponseOf<'GET /api/v1/overview'>
export type FileElements = ResponseOf<'POST /api/v1/elements'>

/** What "Try it" created or found. */
export type TryResponse = ResponseOf<'POST /api/v1/samples/try'>

/** The run that "Try it" started, and the search to open when it ends. */
export type TryAddress = {
  job?: string | undefined
  destination?: string | undefined
  query?: string | undefined
  user?: string | undefined
  user2?: string | undefined
}
