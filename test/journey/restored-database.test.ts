import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAgreement, byPage, contents } from '../world/agreement.ts'
import { copyDatabase } from '../world/database-copy.ts'
import { finish, run } from '../world/flow.ts'
import { ALL_PEOPLE, inSmallWorld, onlyFor, type SmallWorld } from '../world/small-world.ts'

/** A database that was restored from a backup knows less than the index. */

const OURS = { only: ({ spaceKey }: { spaceKey: string }) => ['OPN', 'SEC'].includes(spaceKey) }

async function pass({ world, flow }: SmallWorld) {
  const { status, body, text } = await world.api.post<{ id: string }>(
    `/workflows/${flow.workflowId}/sync-permissions`,
  )
  // At its start the service may already have begun a pass.
  if (status === 409) return finish(world, /[0-9a-f-]{36}/.exec(text)?.[0] ?? assert.fail(text))
  assert.equal(status, 202, text)
  return finish(world, body.id)
}

/** Whether Ben may read an element, by its clauses in the index. */
async function isOpen({ world }: SmallWorld, page: string): Promise<boolean> {
  const elements = byPage(await contents(world)).get(page) ?? []
  return elements.some(({ _source }) =>
    JSON.stringify(_source.metadata.data_source.access).includes('all-licensed-users'),
  )
}

/** Runs, copies the database, lets the wiki and the index change, and restores the copy. */
async function restored(
  setup: SmallWorld,
  steps: { beforeCopy?: () => Promise<void>; afterCopy(): Promise<void>; whileDown(): Promise<void> },
): Promise<void> {
  const { world, flow } = setup
  await steps.beforeCopy?.()
  await run(world, flow)
  await world.millrace.end('SIGTERM')
  const copy = await copyDatabase(world)
  try {
    await world.restart()
    await steps.afterCopy()
    await run(world, flow)
    await world.millrace.end('SIGTERM')
    await steps.whileDown()
    await copy.restore()
    await world.restart()
  } finally {
    await copy.drop()
  }
}

for (const destination of ['searchindex', 'postgres'] as const)
  test(`it brings ${destination} to the wiki after an old database is restored`, () =>
    inSmallWorld(
      async (setup) => {
        const { world, flow, page } = setup
        const { control } = world.wiki
        let edited = ''
        let trashed = ''
        let created = ''
        await restored(setup, {
          beforeCopy: async () => {
            edited = await control.createPage({ space: 'OPN', title: 'Edited', body: '<p>lemur one</p>' })
            trashed = await control.createPage({ space: 'OPN', title: 'Trashed', body: '<p>gecko</p>' })
            await control.setSpacePermissions('SEC', ALL_PEOPLE)
          },
          afterCopy: async () => {
            await control.editPage(edited, { body: '<p>lemur two, a secret of one hour</p>' })
            await control.trashPage(trashed)
            created = await control.createPage({ space: 'OPN', title: 'Created', body: '<p>tapir</p>' })
            await control.restrict(page, { read: { users: [setup.ann] } })
            await control.setSpacePermissions('SEC', onlyFor(setup.ann))
          },
          whileDown: async () => {
            await control.editPage(edited, { body: '<p>lemur three</p>' })
            await control.restorePage(trashed)
            await control.deletePage(created)
          },
        })
        const { details } = await run(world, flow)
        assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
        await assertAgreement(world, OURS)
        const texts = (await contents(world)).map(({ _source }) => _source.text).join('\n')
        assert.doesNotMatch(texts, /lemur two|tapir/)
        const again = await run(world, flow)
        assert.equal(again.details.counts.unchanged, again.details.counts.discovered)
        assert.deepEqual(again.details.warnings, [])
      },
      { destination },
    ))

test('it revokes access that was granted after the backup and revoked before the restore', () =>
  inSmallWorld(async (setup) => {
    const { world, page, ann } = setup
    const { control } = world.wiki
    await restored(setup, {
      beforeCopy: async () => void (await control.restrict(page, { read: { users: [ann] } })),
      afterCopy: async () => void (await control.restrict(page, { read: {} })),
      whileDown: async () => {
        const elements = byPage(await contents(world)).get(page) ?? []
        assert.deepEqual(Object.keys(elements[0]?._source.metadata.data_source.access ?? {}), ['c0'])
        await control.restrict(page, { read: { users: [ann] } })
      },
    })
    await pass(setup)
    const elements = byPage(await contents(world)).get(page) ?? []
    assert.ok(elements.length > 0)
    for (const { _source } of elements)
      assert.match(JSON.stringify(_source.metadata.data_source.access), new RegExp(ann))
    assert.deepEqual(await setup.bensHits(), [])
  }))

test('it says that the database was older than the index', () =>
  inSmallWorld(async (setup) => {
    const { world, page } = setup
    await restored(setup, {
      afterCopy: async () => void (await world.wiki.control.editPage(page, { body: '<p>zebrafish two</p>' })),
      whileDown: async () => {},
    })
    assert.equal(await isOpen(setup, page), true)
    const jobs = [await run(world, setup.flow)]
    // The service may begin a pass at any time after its start.
    const passes = await world.api.get<{ id: string }[]>('/jobs?kind=permissions')
    for (const { id } of passes.body) jobs.push(await finish(world, id))
    const warnings = jobs.flatMap(({ details }) => details.warnings.map(({ code }) => code))
    assert.ok(warnings.includes('ledger_behind_index'), JSON.stringify(warnings))
    await assertAgreement(world, OURS)
  }))
