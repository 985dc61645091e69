import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { LESS_MEMORY } from '../../src/node-options.ts'
import { startEmbeddedPostgres } from '../../src/store/embedded/start.ts'
import { type Api, apiOf } from '../../test/world/api.ts'
import { detailsOf, PLAIN_NODES } from '../../test/world/flow.ts'
import { startMillrace } from '../../test/world/service.ts'
import { accounts } from '../../test/world/wiki/accounts.ts'
import { measured, type Tool, type ToolJob } from './tool.ts'

/** The service with its embedded PostgreSQL, both counted. */
export const millraceService: Tool = {
  name: 'millrace',
  async run(job) {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-peers-'))
    const database = await startEmbeddedPostgres({ dataDir: folder, log: pino({ level: 'silent' }) })
    const allowedHosts = [job.wiki.siteUrl, job.wiki.mediaUrl, job.engine.url].map((url) => new URL(url).host)
    const service = await startMillrace({ databaseUrl: database.url, allowedHosts, flags: LESS_MEMORY })
    try {
      const api = apiOf(service.url ?? '')
      const workflow = await createWorkflow(api, job)
      return await measured([service.process.pid ?? -1, database.pid], () => runJob(api, workflow))
    } finally {
      await service.end('SIGTERM')
      await database.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function createWorkflow(api: Api, job: ToolJob): Promise<string> {
  const { encoded } = await job.engine.createApiKey(job.index)
  const source = { name: 'wiki', type: 'wiki', config: sourceConfig(job) }
  const config = { hosts: [job.engine.url], index_name: job.index, search_api_key: encoded }
  return idOf(api, '/workflows', {
    name: 'peers',
    workflow_type: 'custom',
    source_id: await idOf(api, '/sources', source),
    destination_id: await idOf(api, '/destinations', { name: 'index', type: 'searchindex', config }),
    workflow_nodes: PLAIN_NODES,
  })
}

const sourceConfig = ({ wiki }: ToolJob) => ({
  url: wiki.siteUrl,
  username: accounts.crawler.email,
  token: accounts.crawler.apiToken,
  cloud: true,
  max_num_of_docs_from_each_space: 1_000_000,
})

async function idOf(api: Api, path: string, body: object): Promise<string> {
  const answer = await api.post<{ id: string }>(path, body)
  if (answer.status >= 300) throw new Error(`creating ${path}: ${answer.text}`)
  return answer.body.id
}

async function runJob(api: Api, workflow: string): Promise<void> {
  const id = await idOf(api, `/workflows/${workflow}/run`, {})
  for (;;) {
    const { body } = await api.get<{ status: string }>(`/jobs/${id}`)
    if (body.status === 'COMPLETED') break
    if (!['SCHEDULED', 'IN_PROGRESS'].includes(body.status)) throw new Error(`the job ended: ${body.status}`)
    await sleep(100)
  }
  const { processing_status: status, counts, message } = await detailsOf({ api }, id)
  if (status !== 'SUCCESS' || counts.failed > 0) throw new Error(`the job ended: ${status}, ${message}`)
}

/** The command line, from its start to its end. */
export const millraceIngest: Tool = {
  name: 'millrace-ingest',
  async run(job) {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-peers-'))
    const { encoded } = await job.engine.createApiKey(job.index)
    const main = join(import.meta.dirname, '../../src/cli/main.ts')
    const command = [
      ...[process.execPath, main, 'run', '--source-type', 'wiki', '--source-url', job.wiki.siteUrl],
      ...['--source-cloud', '--source-username', accounts.crawler.email],
      ...[`--source-token=${accounts.crawler.apiToken}`],
      ...['--source-max-num-of-docs-from-each-space', '1000000'],
      ...['--destination-type', 'searchindex', '--destination-hosts', job.engine.url],
      ...['--destination-index-name', job.index, `--destination-search-api-key=${encoded}`],
      ...['--nodes', '[{type: partition}, {type: chunk}]', '--state', join(folder, 'state.jsonl'), '--quiet'],
    ]
    // The shell stays until its processor time, which includes the command's, has been read.
    const shell = 'read go; "$@" >&2; echo "ended $?"; read end'
    const child = spawn('/bin/bash', ['-c', shell, 'bash', ...command], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    try {
      return await measured([child.pid ?? -1], async () => {
        child.stdin.write('\n')
        const [line] = (await once(child.stdout, 'data')) as [Buffer]
        if (line.toString().trim() !== 'ended 0') throw new Error(`millrace-ingest: ${line}`)
      })
    } finally {
      child.stdin.end('\n')
      await rm(folder, { recursive: true, force: true })
    }
  },
}
