import { AppError } from '../errors.ts'

/** Each stream holds a connection and a query per second for its job. */
export const MAX_STREAMS_PER_CALLER = 20
export const MAX_STREAMS_PER_WORKSPACE = 200
export const MAX_STREAMS = 1000

/** Counts open streams of this process; the returned function gives the place back. */
export function createStreamLimit({
  perCaller = MAX_STREAMS_PER_CALLER,
  perWorkspace = MAX_STREAMS_PER_WORKSPACE,
  total = MAX_STREAMS,
}: {
  perCaller?: number
  perWorkspace?: number
  total?: number
} = {}): (from: { caller: string; workspaceId: string }) => () => void {
  const open = new Map<string, number>()
  let all = 0

  const move = (name: string, by: 1 | -1) => {
    const count = (open.get(name) ?? 0) + by
    if (count > 0) open.set(name, count)
    else open.delete(name)
  }

  return ({ caller, workspaceId }) => {
    const names = [`caller ${caller}`, `workspace ${workspaceId}`] as const
    const [own = 0, shared = 0] = names.map((name) => open.get(name))
    if (own >= perCaller) throw refusal(`you have ${perCaller} event streams open, the limit`)
    if (shared >= perWorkspace)
      throw refusal(`the workspace has ${perWorkspace} event streams open, the limit`)
    if (all >= total) throw refusal(`this server has ${total} event streams open, the limit`)
    for (const name of names) move(name, 1)
    all++
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      all--
      for (const name of names) move(name, -1)
    }
  }
}

const RETRY_S = 10

function refusal(message: string): AppError {
  return new AppError('rate_limited', message, {
    fix: 'Close streams that you no longer read, or poll GET /jobs/{id}',
    retryAfterSeconds: RETRY_S,
  })
}
