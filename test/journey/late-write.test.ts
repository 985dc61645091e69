import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { byPage, contents } from '../world/agreement.ts'
import { finish, run, startRun, until } from '../world/flow.ts'
import { withDatabase } from '../world/past-runs.ts'
import { inSmallWorld, type SmallWorld } from '../world/small-world.ts'

/** A worker is frozen while it writes a page; the page leaves the wiki, and the write arrives later. */
for (const fate of ['SIGCONT', 'SIGKILL'] as const)
  test(`it removes a late write of a frozen worker that then gets ${fate}`, () =>
    inSmallWorld(
      async (setup) => {
        const { world, flow, proxy } = setup
        const { control } = world.wiki
        await world.engine.adminFetch(`/${world.index}/_settings`, {
          method: 'PUT',
          body: { index: { gc_deletes: '1s' } },
        })
        const frozen = await world.start('worker')
        await run(world, flow)
        const page = await control.createPage({ space: 'OPN', title: 'Late', body: '<p>axolotl</p>' })
        let release = () => {}
        const held = new Promise<void>((resolve) => {
          release = resolve
        })
        let isHeld = false
        proxy.on(async ({ path, body }) => {
          if (isHeld || !path.includes('_bulk') || !body.includes('axolotl')) return undefined
          isHeld = true
          frozen.process.kill('SIGSTOP')
          await held
          return undefined
        })
        const jobId = await startRun(world, flow)
        await until(async () => isHeld, Boolean)
        await control.deletePage(page)
        await world.start('worker')
        await finish(world, jobId, 200)
        await run(world, flow)
        const dueIn = (time: string) =>
          withDatabase(world, (db) =>
            sql`update removed_elements set due_at = now() + ${time}::interval`.execute(db),
          )
        await dueIn('1 hour')
        await sleep(2000)
        assert.equal(await isIndexed(setup, page), false)
        if (fate === 'SIGKILL') frozen.process.kill('SIGKILL')
        release()
        if (fate === 'SIGCONT') frozen.process.kill('SIGCONT')
        // A task of an ended job is aborted when it wakes, so the sweep removes what it wrote.
        await until(() => isIndexed(setup, page), Boolean)
        await dueIn('0 hours')
        await until(
          () => isIndexed(setup, page),
          (isThere) => !isThere,
          120,
        )
      },
      { role: 'api' },
    ))

async function isIndexed({ world }: SmallWorld, page: string): Promise<boolean> {
  return byPage(await contents(world)).has(page)
}
