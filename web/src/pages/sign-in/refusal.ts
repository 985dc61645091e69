import { signInTexts as texts } from '../../texts/sign-in.ts'

/** Why the identity provider refused. Safe for `?error=__proto__`. */
export function refusalOf(error: string | undefined): string | undefined {
  if (!error) return undefined
  return Object.hasOwn(texts.oidcRefused, error) ? texts.oidcRefused[error] : texts.oidcFailed
}
