import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** How long requests that run may go on after a stop. */
const GRACE_MS = 10_000

/**
 * Ends connections when the server closes: those without a request at once, the others after their response or the
 * grace. Node waits without limit for a connection that has sent nothing, such as one that a browser opened in advance.
 */
export function endConnections(app: FastifyInstance, graceMs = GRACE_MS): void {
  const running = new Map<Socket, number>()
  let isClosing = false
  const change = (socket: Socket, by: 1 | -1) => {
    const requests = (running.get(socket) ?? 0) + by
    running.set(socket, requests)
    if (isClosing && requests === 0) socket.end()
  }
  app.server.on('connection', (socket) => {
    running.set(socket, 0)
    socket.once('close', () => running.delete(socket))
    if (isClosing) socket.destroy()
  })
  app.server.on('request', ({ socket }, response: ServerResponse) => {
    change(socket, 1)
    response.once('close', () => running.has(socket) && change(socket, -1))
  })
  app.addHook('preClose', async () => {
    isClosing = true
    for (const [socket, requests] of running) if (requests === 0) socket.destroy()
    const late = setTimeout(() => app.server.closeAllConnections(), graceMs)
    app.server.once('close', () => clearTimeout(late))
  })
}
