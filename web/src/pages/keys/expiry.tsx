import { RelativeTime } from '../../components/relative-time.tsx'
import { keysTexts as texts } from '../../texts/keys.ts'

/** Days until a key expires. */
export const EXPIRIES = ['never', '30', '90', '365'] as const

export function expiryDate(days: (typeof EXPIRIES)[number]): string | null {
  return days === 'never' ? null : new Date(Date.now() + Number(days) * 86_400_000).toISOString()
}

export function Expiry({ at }: { at: string | null }) {
  if (at && new Date(at).getTime() <= Date.now()) return texts.expired
  return <RelativeTime at={at} absent={texts.neverExpires} />
}
