import { type AllowedHost, isAllowedHost } from './allowed-hosts.ts'
import {
  type Connect,
  connectPinned,
  connectThrough,
  type Resolve,
  resolveBySystem,
  type TlsTrust,
} from './connect.ts'
import type { Egress, SharedEgress } from './egress.ts'
import { createGuardedClient, type EgressPolicy, type GuardedClient, type Network } from './guarded-client.ts'
import { guardedSocket } from './guarded-socket.ts'
import type { EgressProxy } from './proxy.ts'
import { contextWith } from './roots.ts'
import type { SandboxDatabase } from './sandbox-host.ts'

export type EgressOptions = {
  allowedHosts?: readonly AllowedHost[]
  /** False on the command line, where every host is allowed. */
  publicOnly?: boolean
  tls?: TlsTrust
  /** The service's own database, for the sandbox. */
  sandbox?: SandboxDatabase | null
  /** Null if every host is reached directly. */
  proxy?: EgressProxy | null
  resolve?: Resolve
  connect?: Connect
}

/** Every workspace has its own connections, so that none holds all of a host. */
export function createEgress(options: EgressOptions = {}): SharedEgress {
  const shared = openEgress(options)
  const workspaces = new Map<string, Egress>()
  return {
    ...shared,
    forWorkspace(workspace) {
      const egress = workspaces.get(workspace) ?? openEgress(options)
      workspaces.set(workspace, egress)
      return egress
    },
    close: async () => {
      await Promise.all([shared, ...workspaces.values()].map((egress) => egress.close()))
    },
  }
}

/** Two separate clients: one for configured hosts, one for untrusted ones. */
function openEgress(options: EgressOptions): Egress {
  const { allowedHosts = [], publicOnly = true, tls = { hosts: [] } } = options
  const network = networkWith(tls, options)
  const configured: EgressPolicy = {
    isExempt: (url) => !publicOnly || isAllowedHost(allowedHosts, url),
    allowsAnyAddress: !publicOnly,
    fix: (url) => `the service operator can allow it with MILLRACE_ALLOWED_HOSTS=${url.host}`,
    allowsHttp: false,
  }
  const untrusted = createGuardedClient(PUBLIC_ONLY, network, UNTRUSTED_POOL)
  const client = createGuardedClient(configured, network, { ...POOL, untrusted })
  const shared: Omit<Egress, 'close' | 'trusting' | keyof GuardedClient> = {
    isAllowed: configured.isExempt,
    socket: (target) => guardedSocket(target, client.addressesOf),
    sandbox: options.sandbox ?? null,
    untrusted: {
      refusal: untrusted.refusal,
      // Passes only these options: a caller's headers never reach an untrusted host.
      request: (url, { accept, maxBytes, timeoutMs, shouldContinue }, signal) => {
        const headers = { accept, 'accept-encoding': 'identity' }
        return untrusted.request(url, { headers, maxBytes, timeoutMs, shouldContinue }, signal)
      },
    },
  }
  const trusting: Egress['trusting'] = ({ hosts, certificates }) => {
    const trust = { hosts, secureContext: contextWith(certificates) }
    const own = createGuardedClient(configured, networkWith(trust, options), { ...POOL, untrusted })
    return { ...shared, ...own, trusting, close: () => own.dispatcher.destroy() }
  }
  return {
    ...shared,
    ...client,
    trusting,
    close: async () => {
      await Promise.all([client.dispatcher.destroy(), untrusted.dispatcher.destroy()])
    },
  }
}

export function networkWith(
  tls: TlsTrust,
  { resolve, connect, proxy }: Pick<EgressOptions, 'resolve' | 'connect' | 'proxy'>,
): Network {
  return {
    resolve: resolve ?? resolveBySystem,
    connect: connect ?? connectPinned(tls),
    proxy: proxy ? { isDirect: proxy.isDirect, connect: connectThrough(proxy, tls) } : null,
  }
}

const PUBLIC_ONLY: EgressPolicy = {
  isExempt: () => false,
  allowsAnyAddress: false,
  fix: null,
  allowsHttp: true,
}

const POOL = {
  // Connections per host; a source sends at most 16 requests at a time.
  connections: 32,
  keepAliveTimeout: 15_000,
  // A busy cluster may take over a minute to respond to a bulk request.
  headersTimeout: 120_000,
  bodyTimeout: 60_000,
}

/** Most hosts serve one or two images. */
const UNTRUSTED_POOL = {
  connections: 8,
  keepAliveTimeout: 4_000,
  headersTimeout: 20_000,
  bodyTimeout: 20_000,
}
