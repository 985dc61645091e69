import ipaddr from 'ipaddr.js'
import { attempts } from './attempts.ts'

const QUARTER_MS = 15 * 60_000

// Somebody mistypes a password a few times.
const PER_PERSON_AND_NETWORK = { max: 10, windowMs: QUARTER_MS }
// An office shares one address.
const PER_NETWORK = { max: 30, windowMs: 60_000 }
// From everywhere together: 20 networks at the limit above. Passwords have 12 characters, so that guessing at this
// pace comes to nothing; it is there for those who guess the very worst ones from a thousand places.
const PER_PERSON = { max: 200, windowMs: QUARTER_MS }

/** How often signing in may fail. Nothing here asks who exists, so that nothing here can tell. */
export interface SignInLimits {
  /** Counts one more and says 0, or says how many seconds are left to wait. */
  begin(email: string, address: string): number
  /** The password was right. */
  succeeded(email: string, address: string): void
}

/**
 * Counted for a person at a network first: whoever guesses somebody's password makes themselves wait, and not the one
 * whose password it is. What is refused there counts no further, so that one network adds no more than its ten.
 */
export function signInLimits(): SignInLimits {
  const byBoth = attempts(PER_PERSON_AND_NETWORK)
  const byNetwork = attempts(PER_NETWORK)
  const byPerson = attempts(PER_PERSON)
  const both = (email: string, network: string) => `${network} ${email}`
  return {
    begin(email, address) {
      const network = networkOf(address)
      return byNetwork.begin(network) || byBoth.begin(both(email, network)) || byPerson.begin(email)
    },
    succeeded(email, address) {
      const network = networkOf(address)
      byNetwork.undo(network)
      byBoth.forget(both(email, network))
      // Not forgotten: signing in oneself gives nobody else new guesses.
      byPerson.undo(email)
    },
  }
}

// The longest text of an IPv6 address has 45 characters, without the zone that some write behind it.
const LONGEST_ADDRESS = 64
const NO_ADDRESS = 'no address'

/**
 * One customer's addresses are one: of IPv6 everybody has 2^64. What is none, from a proxy that passes on what it is
 * sent, is one together: whoever makes addresses up gets no new attempts by it, and no memory.
 */
export function networkOf(address: string): string {
  if (address.length > LONGEST_ADDRESS || !ipaddr.isValid(address)) return NO_ADDRESS
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`
}
