import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { assertSameContents, contents } from '../world/agreement.ts'
import { type Flow, finish, type JobResult, makeFlow, run } from '../world/flow.ts'
import { type IngestWorld, openIngest, type Seen, WITHOUT_VECTORS, wikiPart } from '../world/ingest.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { fault } from '../world/wiki/faults.ts'
import { openWorld, type World } from '../world/world.ts'

/** A wiki that admits visitors answers expired credentials as it answers visitors: other pages seem to be gone. */

const { email, apiToken, pat } = accounts.crawler
const WIKI = { seed: 21, pages: 30, spaces: 3, people: 8, groups: 3 }
const HEADER = 'x-seraph-loginreason'

type Proxy = { origin: string; hidesHeader: boolean; close(): void }

/** Passes requests on to a wiki; may hide what the wiki says about the sign-in. */
async function startProxy(target: string): Promise<Proxy> {
  const server = createServer(async (incoming, outgoing) => {
    const { host: _, connection: __, ...headers } = incoming.headers
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const response = await fetch(new URL(incoming.url ?? '/', target), {
      method: incoming.method ?? 'GET',
      headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      redirect: 'manual',
    })
    for (const [name, value] of response.headers)
      if (!(name === HEADER && proxy.hidesHeader) && name !== 'transfer-encoding')
        outgoing.setHeader(name, value)
    outgoing.writeHead(response.status).end(Buffer.from(await response.arrayBuffer()))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const proxy = { origin, hidesHeader: false, close }
  return proxy
}

const deployments = [
  {
    name: 'Cloud',
    targetOf: ({ wiki }: World) => wiki.siteUrl,
    settingsOf: (origin: string) => ({ url: origin, username: email, token: apiToken, cloud: true }),
    pageLists: 'spaces/\\d+/pages',
  },
  {
    name: 'Data Center',
    targetOf: ({ wiki }: World) => new URL(wiki.dataCenterUrl).origin,
    settingsOf: (origin: string) => ({ url: `${origin}/confluence`, token: pat, cloud: false }),
    pageLists: 'content/scan',
  },
]

for (const { name, targetOf, settingsOf, pageLists } of deployments)
  describe(`a ${name} wiki whose token expires`, () => {
    let world: World
    let proxy: Proxy
    let flow: Flow
    before(async () => {
      world = await openWorld({ wiki: WIKI, env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' } })
      proxy = await startProxy(targetOf(world))
      // Data Center signs in without a user name.
      const source = { username: undefined, ...settingsOf(proxy.origin) }
      flow = await makeFlow(world, { source, workflow: { permissions_schedule: 'every 1440 minutes' } })
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    })
    after(async () => {
      proxy?.close()
      await world?.close()
    })

    const pass = async (): Promise<JobResult> => {
      const path = `/workflows/${flow.workflowId}/sync-permissions`
      return finish(world, (await world.api.post<{ id: string }>(path)).body.id)
    }
    /** What each person finds, by record id. */
    const found = async () => {
      const { people } = await world.wiki.control.truth()
      const hits = people.map(async ({ accountId, userKey }) => {
        const as = { user: name === 'Cloud' ? accountId : userKey }
        const path = `/destinations/${flow.destinationId}/search`
        const { body } = await world.api.post<{ total: number }>(path, { query: 'the', as, size: 1 })
        return [accountId, body.total]
      })
      return Object.fromEntries(await Promise.all(hits))
    }
    const cases = [
      { kind: 'job', expires: 'before it begins', at: '', header: 'with' },
      { kind: 'job', expires: 'while it lists pages', at: pageLists, header: 'without' },
      { kind: 'pass', expires: 'while it lists pages', at: pageLists, header: 'with' },
      { kind: 'pass', expires: 'while it reads permissions', at: 'permissions', header: 'without' },
    ]
    for (const { kind, expires, at, header } of cases)
      test(`fails a ${kind} ${expires}, ${header} the header, and changes nothing`, async () => {
        const [earlier, hits] = [await contents(world), await found()]
        assert.ok(Object.values(hits).some((total) => Number(total) > 0))
        proxy.hidesHeader = header === 'without'
        await world.wiki.control.fail({ ...fault.expired('crawler'), path: at, after: at ? 1 : 0 })
        const ended = kind === 'job' ? await run(world, flow) : await pass()
        await world.wiki.control.clearFaults()
        await world.wiki.control.setAccount('crawler', { expired: false })
        assert.equal(ended.status, 'FAILED', JSON.stringify(ended.details))
        assert.match(ended.details.message ?? '', /credentials/)
        assert.equal(ended.details.counts.removed, 0)
        assertSameContents(await contents(world), earlier, expires)
        assert.deepEqual(await found(), hits)
      })

    test('is read again once the token works', async () => {
      const { details } = await run(world, flow)
      assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
      assert.equal(details.counts.removed, 0)
    })
  })

describe('millrace-ingest with a token that expires', () => {
  let world: IngestWorld
  let seen: Seen
  let job: string
  before(async () => {
    world = await openIngest({ ...WIKI, spaces: 7 })
    const fresh = await world.freshDestination()
    seen = fresh.seen
    const { destination } = fresh
    job = await world.job('job.yaml', { source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS })
    assert.equal((await world.run(['run', job])).code, 0)
  })
  after(() => world.close())

  for (const args of [[], ['--permissions-only']])
    for (const [moment, expiry, exit] of [
      ['at the start', {}, 3],
      // Three spaces are listed at the same time.
      ['while it lists the fourth space', { path: 'spaces/\\d+/pages', after: 3 }, 1],
    ] as const)
      test(`exits with ${exit} ${moment} of run ${args.join(' ')} and changes nothing`, async () => {
        const earlier = await contents(seen)
        await world.wiki.control.fail({ ...fault.expired('crawler'), ...expiry })
        const { code, out, err } = await world.run(['run', job, ...args])
        await world.wiki.control.clearFaults()
        await world.wiki.control.setAccount('crawler', { expired: false })
        assert.equal(code, exit, out + err)
        assert.match(out + err, /rejected the credentials/)
        assertSameContents(await contents(seen), earlier, moment)
      })
})
