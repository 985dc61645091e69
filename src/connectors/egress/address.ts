import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Why an address is not public, or null. Unknown ranges are not public. */
export function nonPublicReason(address: string): string | null {
  const metadata = metadataAddressReason(address)
  if (metadata) return metadata
  const ip = parse(address)
  if (ip === null) return 'not an address'
  if (ip.kind() === 'ipv6' && !ip.match(globalUnicast))
    return RANGE_DESCRIPTIONS[ip.range()] ?? 'a reserved address'
  const range = ip.range()
  return range === 'unicast' ? null : (RANGE_DESCRIPTIONS[range] ?? 'a reserved address')
}

/**
 * Why no name may resolve to this address, or null. Metadata services reveal the machine's credentials. Operators can
 * list the address itself.
 */
export function metadataAddressReason(address: string): string | null {
  const ip = parse(address)
  if (ip === null) return 'not an address'
  if (metadataServices.has(ip.toString())) return METADATA_SERVICE
  return ip.range() === 'linkLocal' ? 'a link-local address' : null
}

/** `localhost` and names under it mean this machine. */
export function isLocalName(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost')
}

/** Behind a proxy, the address of a name is unknown here. */
export function metadataNameReason(hostname: string): string | null {
  return hostname === 'metadata.google.internal' ? METADATA_SERVICE : null
}

/** The host of a URL for comparison: no brackets, no final dot. */
export function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase()
}

export function portOf({ port, protocol }: { port: string; protocol: string }): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

const METADATA_SERVICE = 'the metadata service of a cloud'
// AWS over IPv6, Alibaba, Oracle, and Azure's host agent; 169.254.169.254 is link-local.
const metadataServices = new Set(['fd00:ec2::254', '100.100.100.200', '192.0.0.192', '168.63.129.16'])

// All public IPv6 addresses; ::/96 for example is outside.
const globalUnicast = ipaddr.parseCIDR('2000::/3')

// DNS64 embeds the IPv4 address, which counts. The local-use prefix 64:ff9b:1::/48 is reserved.
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

const RANGE_DESCRIPTIONS: Record<string, string> = {
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
  // ipaddr.js also accepts octal and shortened forms, which must be refused.
  if (isIP(address) === 0) return null
  const ip = ipaddr.process(address) // maps IPv4-mapped addresses to IPv4
  if (ip.kind() === 'ipv6' && ip.match(nat64)) return ipaddr.fromByteArray(ip.toByteArray().slice(12))
  return ip
}
