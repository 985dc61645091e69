import { request as requestOverHttp } from 'node:http'
import { request as requestOverHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import { AppError } from '../../errors.ts'
import { describeFailure, ProxyFailure } from './failure.ts'
import type { IsDirect } from './no-proxy.ts'

/** The service operator's proxy. It resolves names itself, so it has to enforce egress too. */
export type EgressProxy = {
  /** Without credentials. */
  url: URL
  authorization: string | null
  /** Parts of the credentials, for redaction. */
  secrets: string[]
  isDirect: IsDirect
}
export type TunnelTarget = { hostname: string; port: number }

const TIMEOUT_MS = 10_000

/** A connection to the target, made by the proxy with CONNECT. */
export function openTunnel(
  proxy: EgressProxy,
  target: TunnelTarget,
  timeoutMs = TIMEOUT_MS,
): Promise<Socket> {
  const { url, authorization } = proxy
  const host = isIP(target.hostname) === 6 ? `[${target.hostname}]` : target.hostname
  const authority = `${host}:${target.port}`
  const send = url.protocol === 'https:' ? requestOverHttps : requestOverHttp
  const timeout = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        'user-agent': 'millrace',
        ...(authorization ? { 'proxy-authorization': authorization } : {}),
      },
      agent: false,
      signal: timeout,
    })
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head) => {
      if (statusCode >= 200 && statusCode < 300) {
        if (head.length > 0) socket.unshift(head)
        return resolve(socket)
      }
      socket.destroy()
      reject(refusalOf(authority, statusCode))
    })
    request.once('error', (cause: Error) =>
      reject(timeout.aborted ? late(authority, timeoutMs, cause) : unreachable(authority, cause)),
    )
    request.end()
  })
}

/** Only the setting is named: the address of the proxy is the service operator's. */
function refusalOf(authority: string, status: number): AppError {
  const what = `connecting to ${authority}`
  // tinyproxy answers wrong credentials with 401 and missing ones with 407.
  if (status === 407 || status === 401) {
    return new AppError('egress_refused', `${what}: the egress proxy rejected the credentials (${status})`, {
      fix: 'The service operator checks the user name and the password in MILLRACE_EGRESS_PROXY',
    })
  }
  if (status < 500) {
    return new AppError('egress_refused', `${what}: the egress proxy does not allow this host (${status})`, {
      fix: 'The service operator allows the host in the proxy, or adds it to NO_PROXY to reach it directly',
    })
  }
  const cause = new ProxyFailure(`the egress proxy could not connect to it (${status})`)
  return new AppError('source_unreachable', `${what}: ${cause.message}`, {
    cause,
    fix: 'Check the address. The service operator adds hosts that are reached directly to NO_PROXY',
  })
}

/** The request fails with an AbortError, which does not say why. */
function late(authority: string, timeoutMs: number, error: Error): AppError {
  const why = `the egress proxy or the host behind it did not respond within ${timeoutMs / 1000} s`
  const cause = new ProxyFailure(why, { cause: error })
  return new AppError('source_unreachable', `connecting to ${authority}: ${why}`, {
    cause,
    fix: 'Check the address. The service operator checks MILLRACE_EGRESS_PROXY',
  })
}

function unreachable(authority: string, error: Error): AppError {
  const cause = new ProxyFailure(`the egress proxy cannot be used: ${describeFailure(error).message}`, {
    cause: error,
  })
  return new AppError('source_unreachable', `connecting to ${authority}: ${cause.message}`, {
    cause,
    fix: 'The service operator checks MILLRACE_EGRESS_PROXY, and MILLRACE_CA_FILE for a proxy with https',
  })
}
