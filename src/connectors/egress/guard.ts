import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts'
import { type Connect, connectPinned, type Resolve, resolveBySystem, type TlsTrust } from './connect.ts'
import type { Egress } from './egress.ts'
import { guardedWay, type Policy } from './guarded-client.ts'
import type { Inside } from './sample-host.ts'

export type EgressOptions = {
  allowedHosts?: readonly AllowedHost[]
  /** False on the command line: the user owns the machine, so every host is allowed. */
  publicOnly?: boolean
  tls?: TlsTrust
  /** Connects to the sample site of this process; never for untrusted addresses. */
  inside?: Inside
  resolve?: Resolve
  connect?: Connect
}

/** Two separate clients: one for configured hosts, one for untrusted ones. */
export function createEgress(options: EgressOptions = {}): Egress {
  const { allowedHosts = [], publicOnly = true, tls = { hosts: [] } } = options
  const network = {
    resolve: options.resolve ?? resolveBySystem,
    connect: options.connect ?? connectPinned(tls),
  }
  const configured: Policy = {
    isAllowed: (url) => !publicOnly || isAllowedHost(allowedHosts, url),
    isOwnMachine: !publicOnly,
    fix: 'the operator can allow it with MILLRACE_ALLOWED_HOSTS',
    plainHttp: false,
    inside: options.inside ?? null,
  }
  const strangers = guardedWay(NOBODY_ALLOWED, network, STRANGERS_POOL)
  const way = guardedWay(configured, network, { ...POOL, beyond: strangers })
  return {
    ...way,
    isAllowed: configured.isAllowed,
    strangers: {
      refusal: strangers.refusal,
      // Passes only these options: a caller's headers never reach an untrusted host.
      request: (url, { accept, maxBytes, timeoutMs, goesOn }, signal) => {
        const headers = { accept, 'accept-encoding': 'identity' }
        return strangers.request(url, { headers, maxBytes, timeoutMs, goesOn }, signal)
      },
    },
    close: async () => {
      await Promise.all([way.dispatcher.destroy(), strangers.dispatcher.destroy()])
    },
  }
}

const NOBODY_ALLOWED: Policy = {
  isAllowed: () => false,
  isOwnMachine: false,
  fix: null,
  plainHttp: true,
  inside: null,
}

const POOL = {
  // Per host. A source gets 16 requests at most; a cluster may share its address.
  connections: 32,
  keepAliveTimeout: 15_000,
  // A busy cluster may take over a minute to answer a bulk.
  headersTimeout: 120_000,
  bodyTimeout: 60_000,
}

/** Most hosts serve one or two images. */
const STRANGERS_POOL = {
  connections: 8,
  keepAliveTimeout: 4_000,
  headersTimeout: 20_000,
  bodyTimeout: 20_000,
}
