import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts'
import { type Connect, connectPinned, type Resolve, resolveBySystem, type TlsTrust } from './connect.ts'
import type { Egress } from './egress.ts'
import { guardedWay, type Policy } from './guarded-way.ts'
import type { Inside } from './inside.ts'

export type EgressOptions = {
  allowedHosts?: readonly AllowedHost[]
  /** False where the person at the keyboard owns the machine: every host then counts as allowed. */
  publicOnly?: boolean
  tls?: TlsTrust
  /** The sample wiki of this process, for what people configured; strangers never get there. */
  inside?: Inside
  resolve?: Resolve
  connect?: Connect
}

/** Two ways that share nothing but the name server: one for what people configured, one for strangers. */
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
      // What is named here is all that goes out: no header of a caller gets as far as a stranger.
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
  // For each host. A wiki is never asked more than 16 things at once; the rest is room for a search engine at the
  // same address, and above it requests wait for a connection rather than fail.
  connections: 32,
  keepAliveTimeout: 15_000,
  // A bulk request may keep a busy cluster thinking for more than a minute before the first header.
  headersTimeout: 120_000,
  bodyTimeout: 60_000,
}

/** Most are asked for a picture or two and then never again; the host of a wiki's files is one of them too. */
const STRANGERS_POOL = {
  connections: 8,
  keepAliveTimeout: 4_000,
  headersTimeout: 20_000,
  bodyTimeout: 20_000,
}
