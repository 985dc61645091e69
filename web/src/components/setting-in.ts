const SETTING = /\bMILLRACE_[A-Z_]+=[^\s;,)]*[^\s;,).]/

/** The first `NAME=value` of the service's environment in a message. */
export function settingIn(text: string): string | undefined {
  return SETTING.exec(text)?.[0]
}
