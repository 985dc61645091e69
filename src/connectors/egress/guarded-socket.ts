import { isIP, Socket } from 'node:net'
import { pinnedLookup } from './connect.ts'

/** `encrypted`: the client verifies the server's certificate. Other hosts have to be allowed. */
export type SocketTarget = { host: string; port: number; encrypted: boolean }

/** The most that a server may send before the client writes again. */
const MAX_UNASKED_BYTES = 64 * 1024 * 1024
const WATCH_MS = 100

/** For the rules of the guard, which speak of URLs. */
export function urlOfTarget({ host, port, encrypted }: SocketTarget): URL {
  return new URL(`${encrypted ? 'https' : 'http'}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`)
}

/** A socket whose `connect` ignores its arguments: it reaches only the checked addresses of the target. */
export function guardedSocket(
  target: SocketTarget,
  addressesOf: (url: URL) => Promise<string[]>,
  maxBytes: number = MAX_UNASKED_BYTES,
): Socket {
  const socket = new Socket()
  const connect = socket.connect.bind(socket)
  socket.connect = () => {
    addressesOf(urlOfTarget(target)).then(
      (addresses) => {
        if (socket.destroyed) return
        const lookup = pinnedLookup(addresses)
        const { host, port } = target
        connect({ host: isIP(host) ? addresses[0]! : host, port, lookup, autoSelectFamily: true })
      },
      (error) => socket.destroy(error),
    )
    return socket
  }
  limitUnasked(socket, maxBytes)
  return socket
}

/** A hostile server must not fill the memory. Polled, because TLS reads the handle without events. */
function limitUnasked(socket: Socket, maxBytes: number): void {
  const last = { written: 0, read: 0 }
  const timer = setInterval(() => {
    if (socket.bytesWritten !== last.written)
      Object.assign(last, { written: socket.bytesWritten, read: socket.bytesRead })
    else if (socket.bytesRead - last.read > maxBytes)
      socket.destroy(Object.assign(new Error('the server sent too much'), { code: 'ERR_TOO_MUCH_DATA' }))
  }, WATCH_MS)
  timer.unref()
  socket.once('close', () => clearInterval(timer))
}
