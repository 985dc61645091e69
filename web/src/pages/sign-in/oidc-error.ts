import { signInTexts as texts } from '../../texts/sign-in.ts'

/** Why a sign-in through the identity provider failed. Safe for `?error=__proto__`. */
export function oidcErrorText(error: string | undefined): string | undefined {
  if (!error) return undefined
  return Object.hasOwn(texts.oidcErrors, error) ? texts.oidcErrors[error] : texts.oidcFailed
}
