import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Why an address is not one of the public internet, in a few words, or null where it is.
 * Only what is plainly public passes: a range that is unknown, reserved or a disguise for another counts as inside.
 */
export function whyNotPublic(address: string): string | null {
  const metadata = whyNeverByName(address)
  if (metadata) return metadata
  const ip = parse(address)
  if (ip === null) return 'not an address'
  if (ip.kind() === 'ipv6' && !ip.match(globalUnicast)) return words[ip.range()] ?? 'a reserved address'
  const range = ip.range()
  return range === 'unicast' ? null : (words[range] ?? 'a reserved address')
}

/**
 * Why no name may lead to this address, not even a name that the operator allows: link-local addresses and the
 * metadata services of clouds, which hand out the machine's own credentials. The address itself can be listed.
 */
export function whyNeverByName(address: string): string | null {
  const ip = parse(address)
  if (ip === null) return 'not an address'
  if (metadataServices.has(ip.toString())) return 'the metadata service of a cloud'
  return ip.range() === 'linkLocal' ? 'a link-local address' : null
}

/** `localhost` and everything under it mean this machine, whatever a name server says. */
export function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** The name or address of a URL as it is compared: without brackets, without the dot of the root. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

// Beside 169.254.169.254, which is link-local: AWS over IPv6, Alibaba, Oracle, and Azure's host agent, whose
// address lies in a public range.
const metadataServices = new Set(['fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])

// All public IPv6 addresses are in here; outside are among others ::/96, which old stacks read as IPv4.
const globalUnicast = ipaddr.parseCIDR('2000::/3')

// With DNS64, every IPv4-only site of an IPv6-only network has an address in here, so the IPv4 address inside
// is what counts. The local-use prefix 64:ff9b:1::/48 has no fixed place for it and counts as reserved.
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

const words: Record<string, string> = {
  unspecified: 'the unspecified address',
  loopback: 'this machine',
  private: 'a private address',
  uniqueLocal: 'a private address',
  carrierGradeNat: 'a shared address of a carrier',
  linkLocal: 'a link-local address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
  '6to4': 'a tunnel address',
  teredo: 'a tunnel address',
}

function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  // ipaddr.js also reads octal and shortened forms; whatever is no plain address must not get that far.
  if (isIP(address) === 0) return null
  const ip = ipaddr.process(address) // an IPv4-mapped address becomes the IPv4 address
  if (ip.kind() === 'ipv6' && ip.match(nat64)) return ipaddr.fromByteArray(ip.toByteArray().slice(12))
  return ip
}
