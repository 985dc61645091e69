import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from './context.ts'
import { endUnreadable } from './unreadable-requests.ts'

type BodyTimes = {
  /** How long a body may pause. */
  stalledMs: number
  /** How long a body may take. */
  bodyMs: number
  /** The same for files, which take longer over a slow line. */
  uploadMs: number
}

export const BODY_TIMES: BodyTimes = { stalledMs: 30_000, bodyMs: 60_000, uploadMs: 600_000 }

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bodies of this route are files. */
    takesFiles?: boolean
  }
}

/** Ends requests whose body stops arriving. Responses may take any time. */
export function limitBodyTime(app: App, times: BodyTimes = BODY_TIMES): void {
  app.addHook('preParsing', async (request, reply) => {
    if (hasBody(request)) watchBody(request, reply, times)
  })
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function watchBody({ raw, routeOptions }: FastifyRequest, reply: FastifyReply, times: BodyTimes): void {
  const socket: Socket = raw.socket
  const end = () => {
    if (raw.complete || socket.destroyed) return
    if (reply.raw.headersSent) socket.destroy()
    else endUnreadable(socket, 'request_timeout')
  }
  socket.setTimeout(times.stalledMs)
  // With a listener, Node leaves the decision to us.
  reply.raw.on('timeout', end)
  const timer = setTimeout(end, routeOptions.config.takesFiles ? times.uploadMs : times.bodyMs)
  raw.once('close', () => {
    clearTimeout(timer)
    // After the response, Node has set its own limit for the idle connection.
    if (!reply.raw.writableFinished) socket.setTimeout(0)
  })
}
