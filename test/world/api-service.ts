import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Refusal } from './answers.ts'
import { type Api, type ApiResponse, apiOf } from './api.ts'
import { migratedDatabase } from './postgres.ts'
import { type Millrace, startMillrace, TEST_KEY } from './service.ts'

export type Connector = { id: string; name: string; type: string; config: Record<string, unknown> }
export type Workflow = {
  id: string
  status: string
  sources: string[]
  destinations: string[]
  workflow_nodes: { type: string }[]
  schedule: { crontab_entries: { cron_expression: string }[] }
}

/** Valid settings, except for credentials of the wikis. */
export const cloud = { url: 'https://acme.atlassian.net/wiki', cloud: true }
export const dataCenter = { url: 'https://wiki.acme.example/confluence' }
export const hosted = {
  hosts: ['https://abc.es.eu-west-1.aws.found.io'],
  index_name: 'wiki',
  search_api_key: btoa('id:key'),
}

/** A service with a database only: no request reaches another system. */
export type ApiService = {
  readonly millrace: Millrace
  readonly api: Api
  wiki(config: object, name?: string): Promise<ApiResponse<Refusal & Connector>>
  index(config: object, name?: string): Promise<ApiResponse<Refusal & Connector>>
  /** Sends a body unchanged. */
  send(method: string, path: string, raw?: { body?: string; type?: string }): Promise<ApiResponse<Refusal>>
  /** The location of the first error for such a body. */
  field(method: string, path: string, body: string): Promise<Refusal['detail'][number] | undefined>
}

/** For all tests of the calling suite. */
export function openApiService(): ApiService {
  let drop: () => Promise<void>
  before(async () => {
    const database = await migratedDatabase()
    drop = database.drop
    service.millrace = await startMillrace({
      databaseUrl: database.url,
      // Nothing listens on port 9, and requests to it stay on this machine.
      allowedHosts: ['wiki.inside.example', 'search.inside.example:9200', '127.0.0.1:9'],
    })
    service.api = apiOf(service.millrace.url ?? '')
  })
  after(async () => {
    await service.millrace.end('SIGTERM')
    await drop()
  })

  const send: ApiService['send'] = async (method, path, { body, type = 'application/json' } = {}) => {
    const response = await fetch(service.api.base + path, {
      method,
      headers: { authorization: `Bearer ${TEST_KEY}`, ...(type ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return { status: response.status, text, headers: response.headers, body: JSON.parse(text) as Refusal }
  }
  const service = {
    wiki: (config, name = `wiki ${Math.random()}`) =>
      service.api.post('/sources/', { name, type: 'wiki', config }),
    index: (config, name = `index ${Math.random()}`) =>
      service.api.post('/destinations/', { name, type: 'searchindex', config }),
    send,
    async field(method, path, body) {
      const answer = await send(method, path, { body })
      assert.equal(answer.status, 422, answer.text)
      return answer.body.detail[0]
    },
  } as ApiService & { millrace: Millrace; api: Api }
  return service
}

/** A separate service for one test, with its own limits. */
export async function withService(
  env: Record<string, string>,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const database = await migratedDatabase()
  const millrace = await startMillrace({ databaseUrl: database.url, env })
  try {
    await work(millrace.url ?? '')
  } finally {
    await millrace.end('SIGTERM')
    await database.drop()
  }
}
