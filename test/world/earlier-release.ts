import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { sealBinding } from '../../src/jobs/connections.ts'
import { createVault } from '../../src/store/vault.ts'
import { apiOf } from './api.ts'
import type { TestDestination } from './destination.ts'
import type { Flow } from './flow.ts'
import { createIndex, indexDestination } from './index-destination.ts'
import { freshDatabase } from './postgres.ts'
import type { SearchEngine } from './search-engine/attach.ts'
import { MASTER_KEY, startMillrace } from './service.ts'
import { ALL_PEOPLE, annAndBen, onlyFor } from './small-world.ts'
import { startWiki, type Wiki } from './wiki/start.ts'
import type { World } from './world.ts'

/**
 * A dump of the release before the wanted state (commit 7283068), and its index. It has a workflow with a schedule, a
 * finished job and a job that was active when the service was killed. test/fixtures/earlier-release/make.ts wrote it.
 */
const FOLDER = join(import.meta.dirname, '../fixtures/earlier-release')

/** Record ids and hashes contain the port; below the ports that systems choose by themselves. */
const WIKI = { port: 18433, seed: 51, pages: 6, spaces: 1, people: 8, groups: 3 }

type Fixture = {
  job: string
  workflow: string
  source: string
  destination: string
  mappings: object
  elements: { _id: string; _version: number; _source: object }[]
}
export type EarlierRelease = {
  world: World
  flow: Flow
  /** The job that was active. */
  jobId: string
  ann: string
  ben: string
}

/** The wiki as the earlier release knew it: an open space `QUA` and a space `ANN` for Ann. */
export async function startEarlierWiki(): Promise<{ wiki: Wiki; ann: string; ben: string }> {
  const wiki = await startWiki(WIKI)
  const { control } = wiki
  const [ann, ben] = await annAndBen(wiki)
  const when = '2026-10-01T08:00:00.000Z'
  await control.addSpace({ key: 'QUA', name: 'Quaggas', permissions: ALL_PEOPLE })
  await control.addSpace({ key: 'ANN', name: 'Only Ann', permissions: onlyFor(ann) })
  for (let page = 1; page <= 5; page++)
    await control.createPage({
      space: 'QUA',
      title: `Page ${page}`,
      body: `<p>The quagga ${page}.</p>`,
      when,
    })
  await control.createPage({ space: 'ANN', title: 'Of Ann', body: '<p>The quagga of Ann.</p>', when })
  return { wiki, ann, ben }
}

/** Restores the dump and its index, without starting the service: `world.restart` does. */
export async function openEarlierRelease(): Promise<EarlierRelease> {
  const fixture: Fixture = JSON.parse(await unpacked('index.json.gz'))
  const [{ wiki, ann, ben }, destination, database] = await Promise.all([
    startEarlierWiki(),
    indexDestination('upgrade'),
    freshDatabase(),
  ])
  const { engine, index } = destination
  const uuid = await restoreIndex(engine, index, fixture)
  const { encoded: indexKey } = await engine.createApiKey(index)
  const here = (text: string) =>
    text
      .replaceAll('{{ENGINE}}', engine.url)
      .replaceAll('{{ENGINE_HOST}}', new URL(engine.url).host)
      .replaceAll('{{INDEX}}', index)
      .replaceAll('{{UUID}}', uuid)
  await restoreDatabase(database.url, { sql: here(await unpacked('database.sql.gz')), fixture, indexKey })

  const allowedHosts = [wiki.siteUrl, wiki.mediaUrl, engine.url].map((url) => new URL(url).host)
  const started: Awaited<ReturnType<typeof startMillrace>>[] = []
  const start: World['start'] = async (role = 'all') => {
    const millrace = await startMillrace({ databaseUrl: database.url, allowedHosts, role })
    started.push(millrace)
    return millrace
  }
  const world = {
    ...{
      wiki,
      destination: destination as TestDestination,
      engine,
      index,
      indexKey,
      databaseUrl: database.url,
      databaseProxy: null,
      start,
    },
    async restart() {
      world.millrace = await start()
      world.api = apiOf(world.millrace.url ?? '')
    },
    async close() {
      await Promise.all(started.map((each) => each.end('SIGKILL')))
      await destination.close()
      await wiki.stop()
      await database.drop()
    },
  } as World
  destination.key = indexKey
  const { workflow: workflowId, source: sourceId, destination: destinationId, job: jobId } = fixture
  return { world, flow: { workflowId, sourceId, destinationId }, jobId, ann, ben }
}

async function unpacked(file: string): Promise<string> {
  return gunzipSync(await readFile(join(FOLDER, file))).toString('utf8')
}

/** Returns the id of the new index. */
async function restoreIndex(
  engine: SearchEngine,
  index: string,
  { mappings, elements }: Fixture,
): Promise<string> {
  await createIndex(engine, index, { mappings })
  for (const { _id, _version, _source } of elements) {
    const path = `/${index}/_doc/${_id}?version=${_version}&version_type=external_gte`
    const answer = await engine.adminFetch(path, { method: 'PUT', body: _source })
    assert.ok(answer.ok, await answer.text())
  }
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
  const settings = (await (await engine.adminFetch(`/${index}/_settings`)).json()) as Record<
    string,
    { settings: { index: { uuid: string } } }
  >
  return settings[index]?.settings.index.uuid ?? assert.fail('no such index')
}

/** The destination gets the key of the new index. */
async function restoreDatabase(
  url: string,
  { sql, fixture, indexKey }: { sql: string; fixture: Fixture; indexKey: string },
): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(sql)
    const id = fixture.destination
    const { rows } = await client.query('select workspace_id from public.connectors where id = $1', [id])
    const secrets = JSON.stringify({ search_api_key: indexKey })
    const sealed = createVault(MASTER_KEY).seal(
      secrets,
      sealBinding({ id, workspace_id: rows[0].workspace_id }),
    )
    await client.query('update public.connectors set secrets = $1 where id = $2', [sealed, id])
  } finally {
    await client.end()
  }
}
