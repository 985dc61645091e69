import assert from 'node:assert/strict'
import { access, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, byPage, contents, type Indexed } from '../world/agreement.ts'
import {
  assertCountsAddUp,
  assertNoSecretPrinted,
  count,
  elementSources,
  folderElements,
  type IngestWorld,
  openIngest,
  type Seen,
  stateFileOf,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'

describe('millrace-ingest', () => {
  let world: IngestWorld
  let seen: Seen
  let job: string
  let destination: object
  before(async () => {
    world = await openIngest({ seed: 3, pages: 60, spaces: 4, people: 12, groups: 5 })
    const fresh = await world.freshDestination()
    seen = fresh.seen
    destination = fresh.destination
    job = await world.job('job.yaml', { version: 1, source: wikiPart(world.wiki), destination })
  })
  after(() => world.close())

  const runJob = async (...args: string[]) => {
    const ran = await world.run(['run', job, '--json', ...args])
    return { ...ran, ...assertCountsAddUp(ran) }
  }

  test('it checks both connections step by step and writes nothing', async () => {
    const { code, out, err } = await world.run(['check', job])
    assert.equal(code, 0, err)
    assert.match(out, /the source works[\s\S]*the destination works/)
    assert.equal(await count(seen), 0)
    const json = await world.run(['check', job, '--json'])
    const sides = json.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      sides.map(({ side, ok }) => [side, ok]),
      [
        ['source', true],
        ['destination', true],
      ],
    )
  })

  test('it previews the first pages and writes nothing', async () => {
    const { code, out, err } = await world.run(['preview', job, '--limit', '2', '--json'])
    assert.equal(code, 0, err)
    assert.equal(out.trim().split('\n').length, 2)
    assert.equal(await count(seen), 0)
    assert.equal((await world.run(['preview', job, '--limit', '1'])).code, 0)
  })

  test('it writes every page with vectors and exact permissions', async () => {
    const { code, done, err } = await runJob()
    assert.equal(code, 0, err)
    assert.equal(done.counts.new, done.counts.discovered)
    const elements = await assertAgreement(seen)
    assert.equal(elements.length, done.counts.elements)
    assert.ok(elements.every(({ _source }) => _source.embeddings?.length === 384))
    await assert.rejects(access(`${stateFileOf(job)}.lock`))
    assert.equal((await stat(stateFileOf(job))).mode & 0o077, 0, 'only the owner reads the state file')
  })

  test('it reads no body and writes nothing in a second run', async () => {
    const [earlier, state] = [await contents(seen), await readFile(stateFileOf(job), 'utf8')]
    await world.wiki.control.resetCounts()
    const { code, done } = await runJob()
    assert.deepEqual([code, done.counts.unchanged], [0, done.counts.discovered])
    const requests = await world.wiki.control.requests()
    assert.ok(requests.length > 0)
    assert.ok(!/body[.-](view|storage|export_view|format)/.test(JSON.stringify(requests)))
    assert.deepEqual(await contents(seen), earlier)
    assert.equal(await readFile(stateFileOf(job), 'utf8'), state)
  })

  test('it writes only edited, trashed, moved and added pages', async () => {
    const earlier = byPage(await contents(seen))
    const { control } = world.wiki
    const truth = await control.truth()
    const here = truth.pages.filter(({ id }) => earlier.has(id))
    const isLeaf = (id: string) => !truth.pages.some(({ parentId }) => parentId === id)
    const leaves = here.filter(({ id, parentId }) => parentId !== null && isLeaf(id))
    const [edited, trashed, moved] = leaves
    assert.ok(edited && trashed && moved)
    const home = here.find((each) => each.spaceKey === moved.spaceKey && each.parentId === null)
    await control.editPage(edited.id, { body: '<p>All of it is new.</p>' })
    await control.trashPage(trashed.id)
    await control.movePage(moved.id, home?.id ?? null)
    const added = await control.createPage({ space: edited.spaceKey, title: 'Just added' })
    const { code, done } = await runJob()
    assert.equal(code, 0)
    assert.deepEqual([done.counts.new, done.counts.removed], [1, 1])
    const now = byPage(await assertAgreement(seen))
    assert.ok(now.has(added) && !now.has(trashed.id))
    assert.equal(now.get(edited.id)?.length, 1)
    assert.match(now.get(edited.id)?.[0]?._source.text ?? '', /All of it is new\.$/)
    const touched = new Set([edited.id, moved.id])
    for (const [id, elements] of earlier)
      if (!touched.has(id) && id !== trashed.id) assert.deepEqual(now.get(id), elements)
  })

  test('it changes only permissions after a restriction and restores them', async () => {
    const earlier = byPage(await contents(seen))
    const truth = await world.wiki.control.truth()
    const page = truth.pages.find(
      ({ id, kind, restrictions }) =>
        kind === 'page' && earlier.has(id) && restrictions.read.users.length === 0,
    )
    const person = truth.people.find(({ accountType }) => accountType === 'atlassian')
    assert.ok(page && person)
    await world.wiki.control.restrict(page.id, { read: { users: [person.accountId] } })
    const { done } = await runJob()
    assert.ok(done.counts.permissions_only >= 1)
    assert.equal(done.counts.changed, done.counts.permissions_only)
    const now = byPage(await assertAgreement(seen))
    const kept = (elements: Indexed[] = []) =>
      elements.map(({ _id, _source: { text, embeddings, element_id } }) => [
        _id,
        element_id,
        text,
        embeddings,
      ])
    assert.deepEqual(kept(now.get(page.id)), kept(earlier.get(page.id)))
    await world.wiki.control.restrict(page.id, { read: {} })
    await runJob()
    assert.deepEqual(
      elementSources(await assertAgreement(seen)),
      elementSources([...earlier.values()].flat()),
    )
  })

  test('it processes everything again after the nodes changed', async () => {
    const nodes = [{ type: 'partition' }, { type: 'chunk', settings: { max_characters: 300 } }]
    const { done } = await runJob('--nodes', JSON.stringify(nodes))
    assert.equal(done.counts.changed, done.counts.discovered)
    const smaller = await assertAgreement(seen)
    assert.ok(smaller.every(({ _source }) => _source.text.length <= 300 && !_source.embeddings))
    // The rest needs no vectors.
    job = await world.job('job.yaml', {
      ...{ version: 1, source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS },
    })
    const again = await runJob()
    assert.equal(again.done.counts.changed, again.done.counts.discovered)
    await assertAgreement(seen)
  })

  test('it writes the same elements to a folder, with flags over the job file', async () => {
    const path = join(world.folder, 'elements')
    const flags = [
      '--destination-type',
      'folder',
      '--destination-path',
      path,
      '--state',
      'folder.state.jsonl',
    ]
    const { code, err } = await runJob(...flags)
    assert.equal(code, 0, err)
    assert.deepEqual(await folderElements(path), elementSources(await contents(seen)))
    await rm(join(path, '.millrace'))
    const again = await runJob(...flags)
    assert.equal(
      again.done.counts.changed,
      again.done.counts.discovered,
      'a recreated folder is filled again',
    )
    const third = await runJob(...flags)
    assert.equal(third.done.counts.unchanged, third.done.counts.discovered)
  })

  test('it writes everything again without its state file, without duplicates', async () => {
    const earlier = elementSources(await assertAgreement(seen))
    await rm(stateFileOf(job))
    const { code, done } = await runJob()
    assert.deepEqual([code, done.counts.new], [0, done.counts.discovered])
    assert.deepEqual(elementSources(await assertAgreement(seen)), earlier)
  })

  test('it prints a readable summary', async () => {
    const { code, out, err } = await world.run(['run', job])
    assert.equal(code, 0)
    assert.match(out, /^[\d,]+ documents in .*\n {2}new +0\n {2}changed +0\n {2}unchanged +\d+/)
    assert.equal((await world.run(['run', job, '--quiet'])).err, '', err)
  })

  test('it prints no secret, in any form', () => assertNoSecretPrinted(world))
})
