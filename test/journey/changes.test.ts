import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { assertAgreement, byPage, contents, type Indexed } from '../world/agreement.ts'
import { WITH_FAST_EMBEDDING } from '../world/fast-embedding.ts'
import { type Flow, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

describe('what a run writes', () => {
  let world: World
  let flow: Flow
  before(async () => {
    world = await openWorld({
      wiki: { seed: 3, pages: 60, spaces: 4, people: 12, groups: 5 },
      env: WITH_FAST_EMBEDDING,
    })
    // With vectors, to show that they do not change.
    flow = await makeFlow(world, { nodes: null })
  })
  after(() => world.close())

  test('it writes every current page with its permissions in the first run', async () => {
    const ended = await run(world, flow)
    assert.equal(ended.details.processing_status, 'SUCCESS', JSON.stringify(ended.details))
    assert.equal(ended.details.counts.new, ended.details.counts.discovered)
    const elements = await assertAgreement(world)
    assert.ok(elements.every((element) => element._source.embeddings?.length === 384))
  })

  test('it reads no body and writes nothing in a second run without changes', async () => {
    const earlier = await contents(world)
    await world.wiki.control.resetCounts()
    const { details } = await run(world, flow)
    assert.equal(details.counts.unchanged, details.counts.discovered)
    assert.equal(await bodiesRead(world), 0)
    assert.deepEqual(await contents(world), earlier)
  })

  test('it rewrites only an edited page and leaves no old text', async () => {
    const earlier = byPage(await contents(world))
    const [pageId] = [...earlier].find(([, elements]) => elements.length >= 3) ?? []
    assert.ok(pageId)
    await world.wiki.control.editPage(pageId, {
      body: '<h2>All new</h2><p>Nothing of the old text is left here.</p>',
    })
    const { details } = await run(world, flow)
    assert.deepEqual([details.counts.changed, details.counts.permissions_only], [1, 0])
    const now = byPage(await assertAgreement(world))
    assert.match(texts(now.get(pageId)), /Nothing of the old text/)
    assert.notDeepEqual(now.get(pageId), earlier.get(pageId))
    for (const [id, elements] of earlier) if (id !== pageId) assert.deepEqual(now.get(id), elements)
  })

  test('it changes only permissions after a permission change, without reading bodies', async () => {
    const earlier = byPage(await contents(world))
    const truth = await world.wiki.control.truth()
    const page = truth.pages.find(
      (each) => each.kind === 'page' && earlier.has(each.id) && each.restrictions.read.users.length === 0,
    )
    const person = truth.people.find((each) => each.accountType === 'atlassian')
    assert.ok(page && person)
    await world.wiki.control.restrict(page.id, { read: { users: [person.accountId] } })
    await world.wiki.control.resetCounts()
    const { details } = await run(world, flow)
    assert.equal(await bodiesRead(world), 0)
    assert.equal(details.counts.changed, details.counts.permissions_only)
    assert.ok(details.counts.permissions_only >= 1)
    const now = byPage(await assertAgreement(world))
    const without = (elements: Indexed[] = []) =>
      elements.map(({ _id, _source: { text, embeddings, element_id } }) => ({
        _id,
        element_id,
        text,
        embeddings,
      }))
    assert.deepEqual(without(now.get(page.id)), without(earlier.get(page.id)))

    // And back: fewer levels leave no old clause behind.
    await world.wiki.control.restrict(page.id, { read: {} })
    await run(world, flow)
    const again = byPage(await assertAgreement(world))
    const access = (elements: Indexed[] = []) =>
      elements.map((element) => element._source.metadata.data_source.access)
    assert.deepEqual(access(again.get(page.id)), access(earlier.get(page.id)))
  })

  test('it updates resolved permissions after a membership change', async () => {
    const space = 'MBR'
    const truth = await world.wiki.control.truth()
    const people = truth.people
      .filter((each) => each.accountType === 'atlassian')
      .map((each) => each.accountId)
    const [ann, ben] = people
    assert.ok(ann && ben)
    await world.wiki.control.addGroup({
      id: 'a0000000-0000-4000-8000-00000000aaaa',
      name: 'outer',
      members: [ann, ben],
    })
    await world.wiki.control.addGroup({
      id: 'a0000000-0000-4000-8000-00000000bbbb',
      name: 'inner',
      members: [ann],
    })
    await world.wiki.control.addSpace({
      key: space,
      name: 'Members',
      permissions: [
        {
          principal: { type: 'group', id: 'a0000000-0000-4000-8000-00000000aaaa' },
          operation: { key: 'read', targetType: 'space' },
        },
      ],
    })
    const page = await world.wiki.control.createPage({ space, title: 'For the inner circle' })
    await world.wiki.control.restrict(page, { read: { groups: ['a0000000-0000-4000-8000-00000000bbbb'] } })
    await run(world, flow)
    await assertAgreement(world)
    await world.wiki.control.addMember('inner', ben)
    const { details } = await run(world, flow)
    assert.equal(details.counts.permissions_only, 1)
    await assertAgreement(world)
  })

  test('it updates moved, renamed and relabelled pages', async () => {
    const truth = await world.wiki.control.truth()
    const [moved, target] = truth.pages.filter(
      (each) =>
        each.kind === 'page' &&
        each.status === 'current' &&
        each.parentId !== null &&
        each.spaceKey === truth.pages[5]?.spaceKey,
    )
    assert.ok(moved && target)
    await world.wiki.control.movePage(moved.id, target.id)
    await world.wiki.control.labelPage(moved.id, ['fresh-label'])
    await world.wiki.control.editPage(target.id, { title: 'A new name for the parent' })
    await run(world, flow)
    const elements = byPage(await assertAgreement(world)).get(moved.id) ?? []
    assert.ok(elements.length > 0)
    for (const element of elements) {
      const about = element._source.metadata.data_source
      assert.deepEqual(about.labels, ['fresh-label'])
      assert.deepEqual(about.ancestors.at(-1), { id: target.id, title: 'A new name for the parent' })
    }
  })

  test('it removes a missing page after a complete listing and restores it later', async () => {
    const truth = await world.wiki.control.truth()
    const leaving = truth.pages
      .filter(
        (each) =>
          each.kind === 'page' &&
          each.status === 'current' &&
          !truth.pages.some((child) => child.parentId === each.id),
      )
      .slice(0, 3)
    assert.equal(leaving.length, 3)
    await world.wiki.control.trashPage(leaving[0]!.id)
    await world.wiki.control.archivePage(leaving[1]!.id)
    await world.wiki.control.deletePage(leaving[2]!.id)
    const { details } = await run(world, flow)
    assert.equal(details.counts.removed, 3)
    await assertAgreement(world)
    await world.wiki.control.restorePage(leaving[0]!.id)
    assert.equal((await run(world, flow)).details.counts.new, 1)
    await assertAgreement(world)
  })

  test('it processes everything again after the nodes changed', async () => {
    const update = await world.api.put(`/workflows/${flow.workflowId}`, {
      workflow_nodes: [
        { name: 'P', type: 'partition', subtype: 'auto', settings: {} },
        {
          name: 'C',
          type: 'chunk',
          subtype: 'chunk_by_character',
          settings: { max_characters: 400, new_after_n_chars: 300 },
        },
        { name: 'E', type: 'embed', subtype: 'local', settings: {} },
      ],
    })
    assert.equal(update.status, 200, update.text)
    const { details } = await run(world, flow)
    assert.equal(details.counts.changed, details.counts.discovered)
    const elements = await assertAgreement(world)
    assert.ok(elements.every((element) => element._source.text.length <= 400))
  })
})

/** Requests that carried page bodies. */
async function bodiesRead(world: World): Promise<number> {
  const requests = await world.wiki.control.requests()
  return requests.filter((request) =>
    /body[.-](view|storage|export_view|format)/.test(JSON.stringify(request)),
  ).length
}

function texts(elements: Indexed[] = []): string {
  return elements.map((element) => element._source.text).join('\n')
}
