import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { AuditReport } from '../../src/ingest/audit/audit.ts'
import type { Disagreement } from '../../src/ingest/audit/compare.ts'
import { contents, type Indexed } from '../world/agreement.ts'
import {
  type IngestResult,
  type IngestWorld,
  openIngest,
  type Seen,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'
import { accounts } from '../world/wiki/accounts.ts'
import type { Wiki } from '../world/wiki/start.ts'

/** More than there are pairs, so that every pair is compared. */
const ALL = ['--sample', '5000']

describe('millrace-ingest audit', () => {
  let world: IngestWorld
  let cloud: { job: string; seen: Seen }
  before(async () => {
    world = await openIngest({ seed: 3, pages: 50, spaces: 3, people: 10, groups: 4 })
    cloud = await runJob('cloud.yaml', wikiPart(world.wiki))
  })
  after(() => world.close())

  test('it finds that index and wiki agree, changes nothing and prints no secret', async () => {
    const before = await contents(cloud.seen)
    const result = await world.run(['audit', cloud.job, ...ALL])
    assert.equal(result.code, 0, result.out + result.err)
    assert.match(result.out, /pairs of \d+ people and \d+ documents, \d{4,} answers compared: 0 too wide, /)
    const narrow = result.out.split('\n').filter((line) => line.startsWith('too narrow: '))
    assert.deepEqual(narrow, [])
    assert.deepEqual(await contents(cloud.seen), before)
    assert.ok(!(result.out + result.err).includes(accounts.crawler.apiToken))
  })

  test('it samples the same pairs for the same seed, only of the given spaces', async () => {
    const [first, again, other] = [
      await audit('--seed', '7'),
      await audit('--seed', '7'),
      await audit('--seed', '8'),
    ]
    assert.deepEqual(first.done, again.done)
    assert.equal(first.done.pairs, 20)
    assert.equal(other.done.pairs, 20)
    const [{ _source }] = (await contents(cloud.seen)) as [Indexed]
    const { space_key: space } = _source.metadata.data_source.record_locator
    const { done } = await audit('--spaces', space, '--sample', '5000')
    assert.ok(done.documents > 0 && done.documents < 50)
  })

  test('it finds one element with a wider grant, prints its chain and ends with 1', async () => {
    const { hit, undo } = await changeElement(cloud.seen, (access) => ({
      ...access,
      c0: ['class:anonymous-users'],
    }))
    const result = await world.run(['audit', cloud.job, ...ALL])
    const { record_id: record, element_id: element } = hit._source
    const json = await audit(...ALL)
    await undo()
    assert.equal(result.code, 1, result.out + result.err)
    const wide = result.out.split('\n').filter((line) => line.startsWith('too wide: '))
    assert.ok(wide.length > 0)
    for (const line of wide) {
      assert.match(
        line,
        new RegExp(
          `may not read ${record} ".*" in the source; in the index \\(clauses\\) it is granted by c0 through class:anonymous-users$`,
        ),
      )
    }
    assert.match(
      result.out,
      new RegExp(
        `^ {4}elements: ${element}\n {4}space \\S+ ".*": readable by .*: no\n( {4}ancestor .*\n)*? {4}page \\d+ ".*": .*$`,
        'm',
      ),
    )
    assert.equal(json.code, 1)
    for (const { verdict, element_ids: ids, chain } of json.wide) {
      assert.deepEqual(
        [verdict, ids, chain[0]?.level, chain.at(-1)?.level],
        ['too_wide', [element], 'space', 'page'],
      )
      assert.ok(chain.some(({ satisfied }) => !satisfied))
    }
    assert.equal(json.done.too_wide, json.wide.length)
  })

  test('it finds a restriction that is missing in the index', async () => {
    const isRestricted = ({ _source }: Indexed) => 'c1' in _source.metadata.data_source.access
    const { undo } = await changeElement(cloud.seen, ({ c0 = [] }) => ({ c0 }), isRestricted)
    const { code, wide } = await audit(...ALL)
    await undo()
    assert.equal(code, 1)
    for (const { chain } of wide) {
      assert.equal(chain[0]?.satisfied, true, 'the space allows it')
      assert.ok(
        chain.some(
          ({ level, satisfied, rule }) => level !== 'space' && !satisfied && /^readable by/.test(rule),
        ),
      )
    }
  })

  test('it finds a deleted page that the index still grants', async () => {
    const [hit] = (await contents(cloud.seen)).filter(
      ({ _source }) => _source.metadata.data_source.permissions_data[0].read.users.length > 0,
    )
    const { record_id: record } = hit!._source
    const { page_id: page } = hit!._source.metadata.data_source.record_locator
    await world.wiki.control.trashPage(page)
    const { code, wide } = await audit(...ALL)
    await world.wiki.control.restorePage(page)
    assert.equal(code, 1)
    assert.deepEqual([...new Set(wide.map((each) => each.record_id))], [record])
    for (const { because } of wide) assert.match(because, /^granted by .* is no longer in the wiki$/)
  })

  test('it trusts the check of the wiki and explains a narrow grant', async () => {
    for (const [hasPermission, code] of [
      [false, 1],
      [true, 0],
    ] as const) {
      const changedWiki = await startWikiWithAnswer(world.wiki, { hasPermission, errors: [] })
      const { job } = await runJob(
        `liar-${hasPermission}.yaml`,
        wikiPart(world.wiki, { url: changedWiki.url }),
      )
      const result = await world.run(['audit', job, '--sample', '20', '--json'])
      changedWiki.server.close()
      const { disagreements, done } = reportOf(result)
      assert.equal(result.code, code, result.out + result.err)
      assert.ok(done.pairs === 20 && disagreements.length > 0)
      for (const { verdict, because } of disagreements) {
        assert.equal(verdict, hasPermission ? 'too_narrow' : 'too_wide')
        if (hasPermission)
          assert.match(because, /refuses it$|not proved when|index is older|could not be read/)
      }
    }
  })

  test('it distinguishes an unproved grant from an error', async () => {
    const { apiToken, email } = accounts.powerless
    const powerless = { username: email, token: apiToken }
    const { job } = await runJob('powerless.yaml', wikiPart(world.wiki, powerless))
    const { code, out, err } = await world.run(['audit', job, '--sample', '40'])
    assert.equal(code, 0, out + err)
    assert.match(out, /^too narrow: \S+ may read .*: space \S+: could not be read: /m)
    assert.match(out, / 0 too wide, [1-9]\d* too narrow, /)
  })

  test('it compares a table with the rules if the wiki has no check', async () => {
    const url = world.wiki.dataCenterUrl
    const source = { type: 'wiki', config: { url, token: accounts.crawler.pat } }
    const { job, seen } = await runJob('data-center.yaml', source, 'postgres')
    const agreeing = await world.run(['audit', job, ...ALL])
    assert.equal(agreeing.code, 0, agreeing.out + agreeing.err)
    assert.match(agreeing.out, /compared: 0 too wide, 0 too narrow, 0 pairs/)
    assert.match(
      agreeing.out,
      /cannot answer what a person may do: read access was compared with its current rules/,
    )
    const everyone = (access: Record<string, string[]>) =>
      Object.fromEntries(Object.keys(access).map((name) => [name, ['class:anonymous-users']]))
    const { hit, undo } = await changeElement(seen, everyone)
    const planted = await world.run(['audit', job, ...ALL])
    await undo()
    assert.equal(planted.code, 1, planted.out)
    assert.match(planted.out, new RegExp(`^too wide: \\S+ may not read ${hit._source.record_id} `, 'm'))
  })

  test('it exits with 2 for a bad setting and with 3 if it cannot start', async () => {
    for (const args of [
      ['--sample', '0'],
      ['--sample', 'many'],
      ['--seed', '1.5'],
      ['--source-url', 'x'],
    ]) {
      const { code, out } = await world.run(['audit', cloud.job, ...args])
      assert.deepEqual([code, out], [2, ''], args.join(' '))
    }
    const secret = 'not-the-token-of-anybody'
    const refused = await world.run(['audit', cloud.job], { WIKI_TOKEN: secret })
    assert.equal(refused.code, 3, refused.out)
    assert.ok(refused.err !== '' && !refused.err.includes(secret), refused.err)
    const empty = await world.run(['audit', cloud.job, '--spaces', 'NOSUCH'])
    assert.equal(empty.code, 3)
    assert.match(empty.err, /Nothing to compare/)
  })

  async function audit(...args: string[]) {
    const result = await world.run(['audit', cloud.job, '--sample', '20', ...args, '--json'])
    const { disagreements, done } = reportOf(result)
    return { code: result.code, done, wide: disagreements.filter(({ verdict }) => verdict === 'too_wide') }
  }

  async function runJob(
    name: string,
    source: object,
    type?: 'postgres',
  ): Promise<{ job: string; seen: Seen }> {
    const { destination, seen } = await world.freshDestination(type)
    const job = await world.job(name, { source, destination, nodes: WITHOUT_VECTORS })
    const { code, out, err } = await world.run(['run', job, '--quiet'])
    assert.equal(code, 0, out + err)
    // The index shows writes a second later.
    await seen.destination.refresh()
    return { job, seen }
  }
})

type Clauses = Record<string, string[]>

/** Changes the clauses of one element, like a bug or another program. */
async function changeElement(
  { destination }: Seen,
  widen: (access: Clauses) => Clauses,
  isMeant = ({ _source }: Indexed) =>
    (_source.metadata.data_source.access.c0 ?? []).every(
      (entry) => entry.startsWith('group:') || entry.startsWith('user:'),
    ),
): Promise<{ hit: Indexed; undo(): Promise<void> }> {
  const hit = (await destination.contents()).find(isMeant)
  assert.ok(hit, 'no element to change')
  const put = async (access: Clauses) => {
    const source = structuredClone(hit._source)
    source.metadata.data_source.access = access
    await destination.put(source)
  }
  const { access } = hit._source.metadata.data_source
  await put(widen(access))
  return { hit, undo: () => put(access) }
}

function reportOf({ out, err }: IngestResult): { disagreements: Disagreement[]; done: AuditReport } {
  const events = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { event: string })
  const done = events.pop()
  assert.equal(done?.event, 'done', out + err)
  // The output of the command has these types.
  return { disagreements: events as unknown as Disagreement[], done: done as unknown as AuditReport }
}

/** The wiki with a changed answer of `permission/check`. */
async function startWikiWithAnswer(wiki: Wiki, answer: object): Promise<{ url: string; server: Server }> {
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith('/permission/check')) {
      request.resume()
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
      return
    }
    const { authorization = '', 'content-type': type = 'application/json' } = request.headers
    const body = request.method === 'POST' ? { method: 'POST', body: await text(request) } : {}
    const passed = await fetch(`${wiki.siteUrl}${request.url}`, {
      ...body,
      headers: { authorization, 'content-type': type },
    })
    response.writeHead(passed.status, { 'content-type': passed.headers.get('content-type') ?? 'text/plain' })
    response.end(await passed.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}
