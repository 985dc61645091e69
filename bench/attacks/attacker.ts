import { forEachLimited } from '../../src/concurrency.ts'
import { type Api, type ApiResponse, apiOf } from '../../test/world/api.ts'
import { accounts } from '../../test/world/wiki/accounts.ts'
import type { Wiki } from '../../test/world/wiki/start.ts'

export type Attack = { name: string; run(attacker: Attacker): Promise<unknown> }

type Jobs = { files: Record<string, string>; nodes: object[] }

/** One tenant with a key of its workspace, and what it may ask for. */
export type Attacker = {
  api: Api
  wiki: Wiki
  destinationId: string
  /** What the attacker owns, by the first part of its path. */
  owned: Record<string, string>
  /** Counts of answers by status, since the last call. */
  answers(): Record<string, number>
  each(count: number, act: (at: number) => Promise<unknown>, concurrent?: number): Promise<void>
  partition(text: string, filename: string, fields?: Record<string, string>): Promise<void>
  /** Sends jobs and returns when all are accepted or refused. */
  uploadJobs(count: number, jobs: Jobs): Promise<void>
  createSource(name: string, more?: object): Promise<ApiResponse<{ id: string }>>
  runWiki(workflows: number): Promise<void>
  /** Stops what still runs, so that the next attack begins on an idle service. */
  cancelAll(): Promise<void>
}

export async function openAttacker({
  url,
  key,
  wiki,
}: {
  url: string
  key: string
  wiki: Wiki
}): Promise<Attacker> {
  const api = apiOf(url, key)
  const counts: Record<string, number> = {}
  const headers = { authorization: `Bearer ${key}` }
  const { id: destinationId } = (await api.post<{ id: string }>('/sandbox')).body
  const { body: sample } = await api.post<Record<string, string>>('/samples/try')
  const owned = {
    sources: sample.source_id ?? '',
    destinations: destinationId,
    workflows: sample.workflow_id ?? '',
    jobs: sample.job_id ?? '',
  }

  async function send(path: string, form: FormData): Promise<void> {
    const response = await fetch(url + path, { method: 'POST', body: form, headers })
    await response.arrayBuffer()
    count(response.status)
  }
  function count(status: number): void {
    counts[status] = (counts[status] ?? 0) + 1
  }

  const attacker: Attacker = {
    api,
    wiki,
    destinationId,
    owned,
    answers: () => {
      const all = { ...counts }
      for (const status of Object.keys(counts)) delete counts[status]
      api.answers.length = 0
      return all
    },
    each: (times, act, concurrent = 4) =>
      forEachLimited(
        Array.from({ length: times }, (_, at) => at),
        concurrent,
        async (at) => {
          const answer = await act(at)
          if (answer && typeof answer === 'object' && 'status' in answer) count(Number(answer.status))
        },
      ),
    async partition(text, filename, fields = {}) {
      const form = new FormData()
      form.append('files', new Blob([text]), filename)
      for (const [name, value] of Object.entries(fields)) form.append(name, value)
      await send('/general/v0/general', form)
    },
    uploadJobs: (times, { files, nodes }) =>
      attacker.each(times, async () => {
        const form = new FormData()
        form.append('request_data', JSON.stringify({ job_nodes: nodes }))
        for (const [name, text] of Object.entries(files)) form.append('input_files', new Blob([text]), name)
        await send('/api/v1/jobs/', form)
      }),
    createSource: (name, more = {}) =>
      api.post('/sources', {
        name,
        type: 'wiki',
        config: {
          url: wiki.siteUrl,
          username: accounts.crawler.email,
          token: accounts.crawler.apiToken,
          cloud: true,
          ...more,
        },
      }),
    runWiki: (workflows) =>
      attacker.each(workflows, async (at) => {
        const source = await attacker.createSource(`slow wiki ${Date.now()} ${at}`)
        const workflow = await api.post<{ id: string }>('/workflows', {
          name: `slow ${Date.now()} ${at}`,
          workflow_type: 'custom',
          source_id: source.body.id,
          destination_id: destinationId,
          workflow_nodes: [{ name: 'P', type: 'partition', subtype: 'auto' }],
        })
        return api.post(`/workflows/${workflow.body.id}/run`)
      }),
    async cancelAll() {
      const { body } = await api.get<{ id: string; status: string }[]>('/jobs')
      if (!Array.isArray(body)) return
      const active = body.filter(({ status }) => status === 'SCHEDULED' || status === 'IN_PROGRESS')
      await forEachLimited(active, 4, async ({ id }) => void (await api.post(`/jobs/${id}/cancel`)))
    },
  }
  return attacker
}
