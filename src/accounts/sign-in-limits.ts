import ipaddr from 'ipaddr.js'
import type { LimitCounts } from '../store/counts/counts.ts'
import { createAttemptLimit } from './attempt-limit.ts'

const QUARTER_HOUR_MS = 15 * 60_000

// People mistype passwords a few times.
const PER_PERSON_AND_NETWORK = {
  name: 'sign-in of a person from a network',
  max: 10,
  windowMs: QUARTER_HOUR_MS,
}
// An office shares one address.
const PER_NETWORK = { name: 'sign-in from a network', max: 30, windowMs: 60_000 }
// From all networks together: stops distributed password guessing. Equals 20 networks at their limit of 10.
const PER_PERSON = { name: 'sign-in of a person', max: 200, windowMs: QUARTER_HOUR_MS }

/** Limits failed sign-ins without revealing which accounts exist. */
export interface SignInLimits {
  /** Counts an attempt and returns 0, or the seconds to wait. */
  begin(email: string, address: string): Promise<number>
  /** The password was right. */
  succeeded(email: string, address: string): Promise<void>
}

/**
 * Checks the limit across all networks last, so that one attacker does not lock out the owner. An attempt that one
 * limit refuses does not count towards the later ones.
 */
export function signInLimits(counts: LimitCounts): SignInLimits {
  const byPersonAndNetwork = createAttemptLimit(counts, PER_PERSON_AND_NETWORK)
  const byNetwork = createAttemptLimit(counts, PER_NETWORK)
  const byPerson = createAttemptLimit(counts, PER_PERSON)
  const keyOf = (email: string, network: string) => `${network} ${email}`
  return {
    async begin(email, address) {
      const network = networkOf(address)
      return (
        (await byNetwork.begin(network)) ||
        (await byPersonAndNetwork.begin(keyOf(email, network))) ||
        (await byPerson.begin(email))
      )
    },
    async succeeded(email, address) {
      const network = networkOf(address)
      await byNetwork.undo(network)
      await byPersonAndNetwork.reset(keyOf(email, network))
      // Subtracts only this attempt: a reset would give an attacker new guesses.
      await byPerson.undo(email)
    },
  }
}

// An IPv6 address has at most 45 characters, without the zone.
const MAX_ADDRESS_LENGTH = 64
const NO_ADDRESS = 'no address'

/** Groups IPv6 addresses by /64. All invalid addresses share one entry. */
export function networkOf(address: string): string {
  if (address.length > MAX_ADDRESS_LENGTH || !ipaddr.isValid(address)) return NO_ADDRESS
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`
}
