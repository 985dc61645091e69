/** Whether the service answers, and when it last did. */
export type Connection = { isAway: boolean; answeredAt: number }

let connection: Connection = { isAway: false, answeredAt: Date.now() }
const listeners = new Set<() => void>()

export function currentConnection(): Connection {
  return connection
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function markAnswered(): void {
  const wasAway = connection.isAway
  connection = { isAway: false, answeredAt: Date.now() }
  if (wasAway) notify()
}

export function markAway(): void {
  if (connection.isAway) return
  connection = { ...connection, isAway: true }
  notify()
}

/** No response, or one of a proxy; the service's own errors have a code. */
export function isAwayError({ status, code }: { status: number; code: string }): boolean {
  return status === 0 || (status >= 502 && status <= 504 && code === '')
}

function notify(): void {
  for (const listener of listeners) listener()
}
