import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { METRICS_FIX, METRICS_REFUSAL, type Monitoring } from './monitoring.ts'

/** `fallback`: the status of all other paths, 404 or, while the API starts, 503. */
type Address = { host: string; port: number; fallback?: 404 | 503 }
export type HealthServer = { url: string; close(): Promise<void> }

/** Serves `/healthz`, `/readyz` and `/metrics` and nothing else: for a worker, and while the API starts. */
export async function startHealthServer(
  monitoring: Monitoring,
  { host, port, fallback = 404 }: Address,
): Promise<HealthServer> {
  const server = createServer((request, response) => {
    // Errors of the metrics must not end the process.
    answer({ monitoring, fallback }, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  const { address, port: actual, family } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  { monitoring, fallback }: { monitoring: Monitoring; fallback: 404 | 503 },
  { method = 'GET', url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const send = (code: number, body: { type: string; text: string }) =>
    response
      .writeHead(code, { 'content-type': body.type, 'cache-control': 'no-store' })
      .end(method === 'HEAD' ? undefined : body.text)
  const json = (code: number, value: object) =>
    send(code, { type: 'application/json; charset=utf-8', text: JSON.stringify(value) })

  if (method !== 'GET' && method !== 'HEAD') return void json(405, { status: 'use GET' })
  const path = url.split('?')[0]?.replace(/(.)\/$/, '$1')
  if (path === '/metrics') {
    if (monitoring.mayReadMetrics(headers.authorization)) return void send(200, await monitoring.metrics())
    response.setHeader('www-authenticate', 'Bearer')
    return void json(401, { status: `${METRICS_REFUSAL}. ${METRICS_FIX}` })
  }
  if (path !== '/healthz' && path !== '/readyz')
    return void json(fallback, { status: fallback === 404 ? 'not found' : 'the process starts' })
  const { code, status } = path === '/healthz' ? monitoring.health() : await monitoring.readiness()
  json(code, { status })
}
