import { ApiError } from '../../service/errors.ts'
import { signInTexts as texts } from '../../texts/sign-in.ts'

/** An unknown address and a wrong password look the same. */
export function withOwnMessage(error: unknown): never {
  if (!(error instanceof ApiError)) throw error
  if (error.status === 401) throw new ApiError(error.path, 401, { detail: texts.wrong })
  if (error.status === 429) throw new ApiError(error.path, 429, { detail: texts.tooMany })
  throw error
}
