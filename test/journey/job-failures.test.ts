import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, byPage, contents } from '../world/agreement.ts'
import { type Flow, finish, makeFlow, run, startRun, until } from '../world/flow.ts'
import { createIndex } from '../world/index-destination.ts'
import { fault } from '../world/wiki/faults.ts'
import { destinationConfig, openWorld, type World } from '../world/world.ts'

describe('failures during a run', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({ wiki: { seed: 5, pages: 80, spaces: 3, people: 10, groups: 4 } })
    flow = await makeFlow(world)
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
  })
  after(() => world.close())

  test('it fails only a page that is not HTML and writes it once it is fixed', async () => {
    const page = await anyPage(world)
    await world.wiki.control.setBinaryBody(page.id)
    const ended = await run(world, flow)
    assert.equal(ended.status, 'COMPLETED')
    assert.equal(ended.details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.equal(ended.details.counts.failed, 1)
    assert.equal(ended.details.counts.unchanged, ended.details.counts.discovered - 1)
    assert.deepEqual(
      ended.details.node_stats.map(({ node_type: type, success, failure }) => [type, success, failure]),
      [
        ['source', ended.details.counts.discovered, 0],
        ['partition', 0, 1],
        ['chunk', 0, 0],
        ['destination', 0, 0],
      ],
    )
    const { failed_files: failed } = (await world.api.get<Failed>(`/jobs/${ended.id}/failed-files`)).body
    assert.equal(failed.length, 1)
    assert.match(failed[0]?.document ?? '', new RegExp(page.id))
    assert.ok((failed[0]?.error.length ?? 0) > 10)

    const documents = await world.api.get<Documents>(`/jobs/${ended.id}/documents?state=failed`)
    assert.deepEqual(
      documents.body.items.map((each) => [each.record_id.split('/').at(-1), each.error?.code]),
      [[page.id, 'document_broken']],
    )

    // Only failed documents are processed again: another changed page waits for the next run.
    await world.wiki.control.editPage(page.id, { body: '<p>Mended.</p>' })
    const other = await world.wiki.control.createPage({ space: page.spaceKey, title: 'Made meanwhile' })
    const retried = await world.api.post<{ id: string }>(`/jobs/${ended.id}/retry`)
    assert.equal(retried.status, 202, retried.text)
    const again = await finish(world, retried.body.id)
    assert.equal(again.details.processing_status, 'SUCCESS', JSON.stringify(again.details))
    assert.deepEqual([again.details.counts.discovered, again.details.counts.removed], [1, 0])
    assert.ok(!byPage(await contents(world)).has(other))
    assert.equal((await run(world, flow)).details.counts.new, 1)
    await assertAgreement(world)
  })

  test('it keeps the old text of a failed page with current permissions', async () => {
    const page = await anyPage(world)
    const person = (await world.wiki.control.truth()).people.find((each) => each.accountType === 'atlassian')
    assert.ok(person)
    await world.wiki.control.setBinaryBody(page.id)
    await world.wiki.control.restrict(page.id, { read: { users: [person.accountId] } })
    assert.ok((await run(world, flow)).details.counts.failed >= 1)
    const elements = byPage(await contents(world)).get(page.id) ?? []
    assert.ok(elements.length > 0)
    for (const element of elements) {
      assert.deepEqual(Object.values(element._source.metadata.data_source.access).at(-1), [
        `user:${person.accountId}`,
      ])
    }
    await world.wiki.control.editPage(page.id, { body: '<p>Mended again.</p>' })
    await world.wiki.control.restrict(page.id, { read: {} })
    await run(world, flow)
    await assertAgreement(world)
  })

  test('it writes other pages next to a page of 30 MB', async () => {
    const page = await anyPage(world)
    const neighbour = await world.wiki.control.createPage({ space: page.spaceKey, title: 'Beside the giant' })
    await world.wiki.control.setBigBody(page.id, 30_000_000)
    const ended = await run(world, flow)
    const failed = (await world.api.get<Failed>(`/jobs/${ended.id}/failed-files`)).body.failed_files
    assert.equal(ended.details.counts.new, 1)
    assert.equal(failed.length, 1)
    assert.match(failed[0]?.error ?? '', /MB/)
    assert.ok(byPage(await contents(world)).has(neighbour))
    await world.wiki.control.editPage(page.id, { body: '<p>Small again.</p>' })
    await run(world, flow)
    await assertAgreement(world)
  })

  test('it keeps pages of a space that cannot be listed and reports it', async () => {
    const earlier = byPage(await contents(world))
    const page = await anyPage(world)
    const space = (await world.wiki.control.truth()).spaces.find(({ key }) => key === page.spaceKey)
    await world.wiki.control.trashPage(page.id)
    await world.wiki.control.fail({
      ...fault.serverError(),
      path: `/api/v2/spaces/${space?.id}/pages`,
      times: null,
    })
    const ended = await run(world, flow)
    await world.wiki.control.clearFaults()
    assert.ok(
      ended.status === 'FAILED' || ended.details.processing_status === 'COMPLETED_WITH_ERRORS',
      JSON.stringify(ended),
    )
    assert.ok(ended.details.message)
    assert.equal(ended.details.counts.removed, 0)
    assert.deepEqual(
      byPage(await contents(world))
        .keys()
        .toArray()
        .sort(),
      earlier.keys().toArray().sort(),
    )
    assert.equal((await run(world, flow)).details.counts.removed, 1)
    await assertAgreement(world)
  })

  test('it fails the job and deletes nothing if the password stops working', async () => {
    const earlier = (await contents(world)).length
    await world.wiki.control.fail({ ...fault.unauthorized(), times: null, after: 3 })
    const ended = await run(world, flow)
    await world.wiki.control.clearFaults()
    assert.equal(ended.status, 'FAILED')
    assert.match(ended.details.message ?? '', /sign|credential|401|unauthori/i)
    assert.equal((await contents(world)).length, earlier)
  })

  test('it loses nothing to 429, 503, resets and cut responses', async () => {
    const pages = (await world.wiki.control.truth()).pages.filter(
      (each) => each.kind === 'page' && each.status === 'current',
    )
    const faults = [
      fault.rateLimited(1),
      fault.rateLimited(),
      fault.unavailable(),
      fault.reset(),
      fault.truncated(),
    ]
    // Fewer faults in a run than a request has tries: one request may meet all of them.
    for (const edited of [pages.slice(0, 15), pages.slice(15, 30)]) {
      for (const page of edited)
        await world.wiki.control.editPage(page.id, { body: `<p>Edited through a storm: ${page.id}.</p>` })
      for (const [index, each] of faults.entries())
        await world.wiki.control.fail({ ...each, times: 1, after: index * 2 })
      const ended = await run(world, flow)
      await world.wiki.control.clearFaults()
      assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    }
    await assertAgreement(world)
  })

  test('it removes more than the guard allows only after approval', async () => {
    const truth = await world.wiki.control.truth()
    const current = truth.pages.filter((each) => each.kind === 'page' && each.status === 'current')
    const leaves = current.filter((page) => !truth.pages.some((child) => child.parentId === page.id))
    assert.ok(
      leaves.length > 25 && leaves.length > current.length * 0.3,
      `${leaves.length} of ${current.length}`,
    )
    for (const page of leaves) await world.wiki.control.trashPage(page.id)
    const before = (await contents(world)).length
    const held = await run(world, flow)
    assert.equal(held.status, 'COMPLETED')
    assert.equal(held.details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.match(held.details.message ?? '', new RegExp(`${leaves.length} documents`))
    assert.equal((await contents(world)).length, before)
    // Some come back before the approval: those stay, whatever was approved.
    for (const page of leaves.slice(0, 4)) await world.wiki.control.restorePage(page.id)
    const approved = await world.api.post<{ removed: number }>(`/jobs/${held.id}/approve-deletions`)
    assert.equal(approved.status, 202, approved.text)
    assert.equal(approved.body.removed, leaves.length - 4)
    await run(world, flow)
    await assertAgreement(world)
  })

  test('it fails the job if the index disappears, and creates none', async () => {
    for (const page of (await world.wiki.control.truth()).pages) {
      if (page.kind === 'page' && page.status === 'current')
        await world.wiki.control.editPage(page.id, { body: `<p>Once more ${page.id}.</p>` })
    }
    const space = await anySpace(world)
    for (let index = 0; index < 150; index++) {
      await world.wiki.control.createPage({ space, title: `Filler ${index}` })
    }
    // The index is prepared, and the bodies arrive after it is gone.
    await world.wiki.control.fail({ path: 'body[.-]', times: null, isHeld: true })
    // A key that may manage the index would let the cluster create an empty one.
    const writeOnly = { names: [world.index], privileges: ['read', 'write', 'view_index_metadata'] }
    await setKey((await world.engine.createApiKey({ indices: [writeOnly] })).encoded)
    const jobId = await startRun(world, flow)
    await until(
      () => world.wiki.control.faults(),
      ([held]) => (held?.hits ?? 0) > 0,
      120,
    )
    await world.engine.adminFetch(`/${world.index}`, { method: 'DELETE' })
    await world.wiki.control.clearFaults()
    const ended = await finish(world, jobId)
    assert.equal(ended.status, 'FAILED', JSON.stringify(ended.details))
    assert.match(ended.details.message ?? '', new RegExp(world.index))
    assert.equal((await world.engine.adminFetch(`/${world.index}`)).status, 404)
    await createIndex(world.engine, world.index)
    await setKey(world.indexKey)
    // The recreated index is empty, whatever the ledger has for the old one.
    assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await assertAgreement(world)
  })

  async function setKey(key: string): Promise<void> {
    const config = destinationConfig(world, { search_api_key: key })
    const answer = await world.api.put(`/destinations/${flow.destinationId}`, { config })
    assert.equal(answer.status, 200, answer.text)
  }
})

describe('failures before the first write', () => {
  let world: World
  before(async () => {
    world = await openWorld({ wiki: { seed: 6, pages: 20, spaces: 2, people: 6, groups: 3 } })
  })
  after(() => world.close())

  const wrong: {
    name: string
    source?: object
    destination?: (world: World) => Promise<object>
    says: RegExp
    nodes?: null
  }[] = [
    { name: 'an unreachable wiki', source: { url: 'http://127.0.0.1:9' }, says: /127\.0\.0\.1:9/ },
    {
      name: 'a wrong password',
      source: { token: 'not-the-token-at-all' },
      says: /sign|credential|401|unauthori/i,
    },
    { name: 'a space that does not exist', source: { spaces: ['NOSUCHSPACE'] }, says: /NOSUCHSPACE/ },
    {
      name: 'a missing index',
      destination: async () => ({ index_name: 'no-such-index-anywhere' }),
      says: /no-such-index-anywhere/,
    },
    {
      name: 'a wrong key',
      destination: async () => ({ search_api_key: btoa('nobody:nothing') }),
      says: /key/i,
    },
    {
      name: 'another vector width',
      nodes: null,
      destination: (each) =>
        mapped(each, 'width', {
          properties: { embeddings: { type: 'dense_vector', dims: 12, index: true, similarity: 'cosine' } },
        }),
      says: /12.*384|384.*12/,
    },
    {
      name: 'a strict mapping',
      destination: (each) =>
        mapped(each, 'strict', { dynamic: 'strict', properties: { text: { type: 'text' } } }),
      says: /strict/,
    },
    {
      name: 'permission lists that would be split',
      destination: (each) =>
        mapped(each, 'analysed', {
          properties: {
            metadata: {
              properties: {
                data_source: {
                  properties: {
                    permissions_data: { properties: { read: { properties: { users: { type: 'text' } } } } },
                  },
                },
              },
            },
          },
        }),
      says: /permissions_data/,
    },
  ]

  for (const [index, { name, source, destination, says, nodes }] of wrong.entries()) {
    test(`it reports one clear failure in job and check: ${name}`, async () => {
      const flow = await makeFlow(world, {
        source: source ?? {},
        destination: destination ? await destination(world) : {},
        suffix: ` ${index}`,
        ...(nodes === null ? { nodes } : {}),
      })
      const ended = await run(world, flow)
      assert.equal(ended.status, 'FAILED', JSON.stringify(ended.details))
      assert.match(ended.details.message ?? '', says)
      assert.deepEqual(
        ended.details.error?.subject,
        source
          ? { kind: 'source', id: flow.sourceId, field: null }
          : { kind: 'destination', id: flow.destinationId, field: null },
      )
      assert.equal(ended.details.counts.new, 0)
      const checked = await check(
        world,
        source ? `/sources/${flow.sourceId}` : `/destinations/${flow.destinationId}`,
      )
      // Without vectors to write, a check cannot know their dimensions.
      if (nodes !== null) {
        assert.equal(checked.status, 'FAILURE', JSON.stringify(checked))
        assert.match(`${checked.reason} ${JSON.stringify(checked.steps)}`, says)
        assert.ok(checked.steps.some((step) => step.status === 'failed'))
      }
      await world.api.delete(`/workflows/${flow.workflowId}`)
    })
  }

  test('it passes every step of the checks with the right settings', async () => {
    const flow = await makeFlow(world, { suffix: ' right' })
    for (const path of [`/sources/${flow.sourceId}`, `/destinations/${flow.destinationId}`]) {
      const checked = await check(world, path)
      assert.equal(checked.status, 'SUCCESS', JSON.stringify(checked))
      assert.ok(checked.steps.length >= 3)
      assert.ok(checked.steps.every((step) => step.status !== 'failed'))
    }
  })
})

type Documents = {
  items: { record_id: string; state: string; error?: { code: string } }[]
  next: string | null
}
type Failed = { failed_files: { document: string; error: string }[] }
type Checked = {
  status: string
  reason: string | null
  steps: { name: string; status: string; detail: string }[]
}

async function check(world: World, path: string): Promise<Checked> {
  assert.equal((await world.api.post(`${path}/connection-check`)).status, 202)
  return until(
    async () => (await world.api.get<Checked>(`${path}/connection-check`)).body,
    (checked) => checked.status !== 'SCHEDULED',
  )
}

async function mapped(world: World, suffix: string, mappings: object): Promise<object> {
  const index = `${world.index}-${suffix}`
  await createIndex(world.engine, index, { mappings })
  return { index_name: index, search_api_key: (await world.engine.createApiKey(index)).encoded }
}

async function anyPage(world: World): Promise<{ id: string; spaceKey: string }> {
  const indexed = byPage(await contents(world))
  const truth = await world.wiki.control.truth()
  const page = truth.pages.find(
    (each) =>
      each.kind === 'page' &&
      each.status === 'current' &&
      indexed.has(each.id) &&
      !truth.pages.some((child) => child.parentId === each.id) &&
      each.restrictions.read.users.length + each.restrictions.read.groups.length === 0,
  )
  assert.ok(page)
  return page
}

async function anySpace(world: World): Promise<string> {
  const [element] = await contents(world)
  assert.ok(element)
  return element._source.metadata.data_source.record_locator.space_key
}
