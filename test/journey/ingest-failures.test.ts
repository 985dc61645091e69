import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, contents } from '../world/agreement.ts'
import {
  assertCountsAddUp,
  assertNoSecretPrinted,
  countRecords,
  exists,
  folderElements,
  type IngestWorld,
  openIngest,
  type Seen,
  shortPause,
  stateFileOf,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'
import { fault } from '../world/wiki/faults.ts'

describe('failures of millrace-ingest', () => {
  let world: IngestWorld
  let seen: Seen
  let job: string
  let destination: object
  before(async () => {
    world = await openIngest({ seed: 3, pages: 60, spaces: 4, people: 12, groups: 5 })
    const fresh = await world.freshDestination()
    seen = fresh.seen
    destination = fresh.destination
    job = await world.job('job.yaml', {
      ...{ source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS },
    })
    assert.equal((await carry()).code, 0)
  })
  after(() => world.close())

  const carry = async (...args: string[]) => {
    const ran = await world.run(['run', job, '--json', ...args])
    return { ...ran, ...assertCountsAddUp(ran) }
  }

  test('it removes deselected spaces after approval', async () => {
    const { folder: own, done } = await intoFolder('narrowed')
    const space = (await world.wiki.control.truth()).spaces.find(({ status }) => status === 'current')
    const held = await own('--source-spaces', space!.key)
    assert.equal(held.code, 1)
    assert.ok(held.done.held_back > 20)
    assert.deepEqual(
      await folderElements(join(world.folder, 'narrowed')).then(countRecords),
      done.counts.discovered,
    )
    const gone = await own('--source-spaces', space!.key, '--approve-deletions')
    assert.deepEqual([gone.code, gone.done.counts.removed], [0, held.done.held_back])
    assert.equal(
      countRecords(await folderElements(join(world.folder, 'narrowed'))),
      gone.done.counts.discovered,
    )
  })

  test('it removes nothing after a broken listing and exits with 1', async () => {
    const { folder: own } = await intoFolder('broken')
    const before = await folderElements(join(world.folder, 'broken'))
    const { control } = world.wiki
    const [page] = (await control.truth()).pages.filter(
      ({ kind, status }) => kind === 'page' && status === 'current',
    )
    await control.trashPage(page!.id)
    await control.fail({ ...fault.unauthorized(), path: '/spaces/\\d+/pages', after: 1, times: null })
    const broken = await own()
    await control.clearFaults()
    assert.equal(broken.code, 1, broken.err)
    assert.equal(broken.done.complete, false)
    assert.equal(broken.done.counts.removed, 0)
    assert.ok(broken.done.error ?? broken.done.warnings.length > 0)
    assert.equal(countRecords(await folderElements(join(world.folder, 'broken'))), countRecords(before))
    await control.restorePage(page!.id)
  })

  test('it fails unreached documents if the index disappears, and exits with 1', async () => {
    const path = join(world.folder, 'gone-away')
    // With vectors, so that threads are busy when it is stopped.
    const nodes = JSON.stringify([...WITHOUT_VECTORS, { type: 'embed' }])
    const into = ['--destination-type', 'folder', '--destination-path', path, '--state', 'gone-away.jsonl']
    // One slice waits until the folder is gone.
    await world.wiki.control.fail({ path: 'body', after: 1, isHeld: true, times: null })
    const { child, ended } = world.start(['run', job, '--json', ...into, '--nodes', nodes])
    // The folder becomes a file as soon as it has content.
    while ((await folderElements(path).catch(() => [])).length === 0 && child.exitCode === null)
      await shortPause()
    // Renamed, because emptying a folder that is written to would fail.
    await rename(path, `${path}-moved`)
    await writeFile(path, '')
    await world.wiki.control.clearFaults()
    const ran = await ended
    assert.equal(ran.code, 1, ran.err)
    const { done } = assertCountsAddUp(ran)
    assert.equal(done.error?.code, 'destination_read_only')
    assert.ok(done.counts.failed > 0)
  })

  const couldNotStart: [what: string, flags: () => string[], env: Record<string, string>, says: RegExp][] = [
    ['a wrong token', () => [], { WIKI_TOKEN: 'not-the-token-of-anybody' }, /credentials|token/i],
    [
      'a wiki that is not there',
      () => ['--source-url', 'http://127.0.0.1:9', '--state', 'x1'],
      {},
      /127\.0\.0\.1:9/,
    ],
    ['a wrong key', () => [], { SEARCH_KEY: btoa('nobody:knows-this-one') }, /API key|search_api_key/i],
    [
      'an index that is not there',
      () => ['--destination-index-name', 'ingest-none', '--state', 'x2'],
      {},
      /PUT/,
    ],
    [
      'a cluster that is not there',
      () => ['--destination-hosts', 'http://127.0.0.1:9', '--state', 'x3'],
      {},
      /127/,
    ],
  ]
  for (const [what, flags, env, says] of couldNotStart)
    test(`it names the cause and exits with 3: ${what}`, async () => {
      const before = await contents(seen)
      const { code, out, err } = await world.run(['run', job, ...flags()], env)
      assert.equal(code, 3, out + err)
      assert.match(err, says)
      assert.ok(!/\n\s+at /.test(err), err)
      assert.deepEqual(await contents(seen), before)
    })

  test('it works with the same state file after a wrong index is fixed', async () => {
    const { destination: into } = await world.freshDestination()
    const path = await world.job('put-right.yaml', {
      ...{ source: wikiPart(world.wiki), destination: into, nodes: WITHOUT_VECTORS },
    })
    assert.equal((await world.run(['run', path, '--destination-index-name', 'ingest-none'])).code, 3)
    const right = await world.run(['run', path])
    assert.equal(right.code, 0, right.err)
    assert.equal((await world.run(['run', path, '--destination-index-name', 'ingest-none'])).code, 2)
  })

  test('it exits with 2 for a bad key, variable or file', async () => {
    const misspelt = await world.job('misspelt.yaml', {
      source: wikiPart(world.wiki),
      destinaton: destination,
    })
    const wrongs: [string[], RegExp][] = [
      [['run', misspelt], /did you mean destination\?/],
      [['run', join(world.folder, 'none.yaml')], /there is no such file/],
      [['run', job, '--destination-type', 'floder'], /Did you mean folder\?/],
      [['run', job, '--destination-ca-file', 'none.pem'], /none\.pem/],
    ]
    for (const [args, says] of wrongs) {
      const { code, err } = await world.run(args)
      assert.equal(code, 2, err)
      assert.match(err, says)
    }
    const { code, err } = await world.run(['run', job], { SEARCH_KEY: '' })
    assert.equal(code, 2)
    assert.match(err, /SEARCH_KEY, which is not set/)
  })

  test('it refuses a second run at the same time with 2 and names the first', async () => {
    await world.wiki.control.fail({ isHeld: true, times: null })
    const first = world.start(['run', job, '--json'])
    while (!(await exists(`${stateFileOf(job)}.lock`))) await shortPause()
    const second = await world.run(['run', job])
    await world.wiki.control.clearFaults()
    assert.equal(second.code, 2)
    assert.match(second.err, new RegExp(`another run uses this state file \\(process ${first.child.pid}`))
    assert.equal((await first.ended).code, 0)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    test(`it exits with 130 on ${signal}, and the next run completes the index`, async () => {
      const { seen: other, destination: into } = await world.freshDestination()
      const stopped = await world.job(`${signal}.yaml`, {
        ...{ source: wikiPart(world.wiki), destination: into, nodes: WITHOUT_VECTORS },
      })
      // The second slice waits, so that the run cannot end by itself.
      await world.wiki.control.fail({ path: 'body', after: 1, isHeld: true, times: null })
      const { child, ended } = world.start(['run', stopped])
      while (!(await exists(`${stateFileOf(stopped)}.lock`))) await shortPause()
      // The lock comes first, the state file a moment later.
      const stateLineCount = async () =>
        (await readFile(stateFileOf(stopped), 'utf8').catch(() => '')).split('\n').length
      while ((await stateLineCount()) < 8 && child.exitCode === null) await shortPause()
      child.kill(signal)
      const began = performance.now()
      const { code, err } = await ended
      await world.wiki.control.clearFaults()
      assert.equal(code, 130, err)
      assert.match(err, /Stopped/)
      assert.ok(performance.now() - began < 45_000)
      assert.equal(await exists(`${stateFileOf(stopped)}.lock`), false)
      assert.equal((await world.run(['run', stopped, '--json'])).code, 0)
      await assertAgreement(other)
    })

  test('it stops when its output is closed, and the next run finishes', async () => {
    const { destination: into, seen: other } = await world.freshDestination()
    const cut = await world.job('cut.yaml', {
      ...{ source: wikiPart(world.wiki), destination: into, nodes: WITHOUT_VECTORS },
    })
    // Slow enough to print more than one line.
    await world.wiki.control.fail({ path: '/spaces/\\d+/pages', delayMs: 10_000, after: 1, times: 1 })
    await world.wiki.control.fail({ path: 'body', delayMs: 1000, times: null })
    const { child, ended } = world.start(['run', cut, '--json'])
    await once(child.stdout!, 'data')
    child.stdout!.destroy()
    const { code } = await ended
    await world.wiki.control.clearFaults()
    assert.equal(code, 130)
    assert.equal(await exists(`${stateFileOf(cut)}.lock`), false)
    assert.equal((await world.run(['run', cut])).code, 0)
    await assertAgreement(other)
  })

  test('it prints no secret, in any form', () => assertNoSecretPrinted(world))

  /** A run without vectors into its own folder, with its state. */
  async function intoFolder(name: string) {
    const own = (...args: string[]) =>
      carry(
        ...['--destination-type', 'folder', '--destination-path', name, '--state', `${name}.jsonl`],
        ...args,
      )
    const first = await own()
    assert.equal(first.code, 0, first.err)
    return { folder: own, done: first.done }
  }
})
