import { signInTexts as texts } from '../../texts/sign-in.ts'

/** Why the identity provider's way in led back here. Anybody can write the address, `?error=__proto__` as well. */
export function refusalOf(error: string | undefined): string | undefined {
  if (!error) return undefined
  return Object.hasOwn(texts.oidcRefused, error) ? texts.oidcRefused[error] : texts.oidcFailed
}
