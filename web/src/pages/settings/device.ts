import { settingsTexts } from '../../texts/settings.ts'

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** "Firefox on Linux" from a user agent, if known. */
export function deviceOf(userAgent: string | null | undefined): string | undefined {
  if (!userAgent) return undefined
  // Order matters: later browsers also name the earlier ones.
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1]
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1]
  if (!browser) return userAgent.split(/[\s/]/)[0] || undefined
  return system ? settingsTexts.account.deviceOn(browser, system) : browser
}
