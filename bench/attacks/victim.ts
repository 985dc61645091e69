import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Api, apiOf } from '../../test/world/api.ts'

const JOB_LIMIT_MS = 180_000

/** What a small team does all day, each with its own time. */
export const ACTIONS = ['health', 'search', 'csv', 'sample', 'page'] as const
export type Action = (typeof ACTIONS)[number]
export type Times = Record<Action, number[]>

/** `live` begins a time of work, and its result ends it. */
export type Victim = { live(): { end(): Promise<Times> }; close(): Promise<unknown> }

/** In its own thread, because the attacker keeps this one busy with large bodies. */
export async function openVictim(url: string, key: string): Promise<Victim> {
  const worker = new Worker(import.meta.filename, { workerData: { url, key } })
  await once(worker, 'message')
  return {
    live() {
      worker.postMessage('live')
      return {
        async end() {
          worker.postMessage('end')
          const [times] = await once(worker, 'message')
          return times as Times
        },
      }
    },
    close: () => worker.terminate(),
  }
}

type Try = {
  destination_id: string
  workflow_id: string
  job_id: string
  people: { id: string; query: string }[]
}

/** Runs the sample once, so that there is something to search. */
async function prepare(url: string, key: string): Promise<(signal: AbortSignal) => Promise<Times>> {
  const api = apiOf(url, key)
  const tried = await api.post<Try>('/samples/try')
  if (tried.status >= 300) throw new Error(`running the sample: ${tried.text}`)
  const { destination_id: destination, workflow_id: workflow, job_id: job, people } = tried.body
  await jobEnd(api, job)
  const person = people[0]

  const actions: Record<Exclude<Action, 'health'>, () => Promise<void>> = {
    search: async () => {
      const body = { query: person?.query, as: { user: person?.id } }
      expectOk('a search', await api.post(`/destinations/${destination}/search`, body))
    },
    csv: async () => {
      const form = new FormData()
      form.append('files', new Blob(['name,place\nmill,river\n']), 'one.csv')
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${url}/general/v0/general`, { method: 'POST', body: form, headers })
      expectOk('a table', { status: response.status, text: await response.text() })
    },
    sample: async () => {
      const started = await api.post<{ id: string }>(`/workflows/${workflow}/run`)
      expectOk('a run', started)
      await jobEnd(api, started.body.id)
    },
    page: async () => {
      const response = await fetch(url)
      expectOk('the page', { status: response.status, text: await response.text() })
    },
  }

  return async (signal) => {
    const times: Times = { health: [], search: [], csv: [], sample: [], page: [] }
    const probe = async () => {
      while (!signal.aborted) {
        times.health.push(await timed(async () => void (await (await fetch(`${url}/healthz`)).text())))
        await sleep(50)
      }
    }
    const life = async () => {
      while (!signal.aborted)
        for (const [name, act] of Object.entries(actions) as [Action, () => Promise<void>][]) {
          times[name].push(await timed(act))
          await sleep(100)
        }
    }
    await Promise.all([probe(), life()])
    return times
  }
}

/** Milliseconds; a failed action counts as the longest. */
async function timed(act: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  try {
    await act()
    return performance.now() - startedAt
  } catch (error) {
    console.log(`  the victim's action failed: ${error instanceof Error ? error.message : error}`)
    return Number.POSITIVE_INFINITY
  }
}

async function jobEnd(api: Api, id: string): Promise<void> {
  const end = Date.now() + JOB_LIMIT_MS
  while (Date.now() < end) {
    const { body } = await api.get<{ status: string }>(`/jobs/${id}`)
    if (body.status === 'COMPLETED') return
    if (body.status === 'FAILED' || body.status === 'STOPPED')
      throw new Error(`the job ended as ${body.status}`)
    await sleep(50)
  }
  throw new Error('the job did not end')
}

function expectOk(what: string, { status, text }: { status: number; text: string }): void {
  if (status >= 300) throw new Error(`${what} was answered ${status}: ${text.slice(0, 200)}`)
}

if (!isMainThread && parentPort) {
  const port = parentPort
  const live = await prepare(workerData.url, workerData.key)
  port.postMessage('ready')
  for (;;) {
    await once(port, 'message')
    const end = new AbortController()
    const living = live(end.signal)
    await once(port, 'message')
    end.abort()
    port.postMessage(await living)
  }
}
