import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { contents } from '../../test/world/agreement.ts'
import { finish, makeFlow } from '../../test/world/flow.ts'
import { ALL_PEOPLE } from '../../test/world/small-world.ts'
import { openTaskWorld } from '../../test/world/task-world.ts'
import { startWiki, type Wiki } from '../../test/world/wiki/start.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import { startJob } from './start.ts'

const wiki = { seed: 61, pages: 8, spaces: 1, people: 4, groups: 2 }

/** Pages with the same ids and versions on every wiki of the seed. */
async function addPages({ control }: Wiki, text: string): Promise<void> {
  await control.addSpace({ key: 'OPN', name: 'Open', permissions: ALL_PEOPLE })
  for (let at = 0; at < 3; at++)
    await control.createPage({ space: 'OPN', title: `Page ${at}`, body: `<p>${text} ${at}</p>` })
}

test('it does not write text of another wiki under the ids of listed pages', async () => {
  const other = await startWiki(wiki)
  const otherHost = new URL(other.siteUrl).host
  const tasks = await openTaskWorld({ wiki, otherHosts: [otherHost] })
  const { world, db, engine } = tasks
  try {
    await addPages(world.wiki, 'zebrafish')
    await addPages(other, 'walrus')
    const flow = await makeFlow(world, { source: { spaces: ['OPN'] } })
    const workflow = (await readWorkflow(db, flow.workflowId)) ?? assert.fail('no workflow')
    const job = await startJob(workflow, { jobType: 'persistent', startedBy: null }, { db, engine })
    const [list] = await tasks.waiting()
    await tasks.deliver(list!)
    // The API refuses this while a job runs.
    await sql`update connectors set config = config || ${JSON.stringify({ url: other.siteUrl })}::jsonb
      where id = ${flow.sourceId}::uuid`.execute(db)
    for (let [task] = await tasks.waiting(); task; [task] = await tasks.waiting()) await tasks.deliver(task)
    const { details } = await finish(world, job.id)
    assert.equal(details.counts.failed, 4, JSON.stringify(details))
    const { items } = (
      await world.api.get<{ items: { error: { code: string } }[] }>(`/jobs/${job.id}/documents?state=failed`)
    ).body
    assert.deepEqual([...new Set(items.map(({ error }) => error.code))], ['other_site'])
    assert.deepEqual(await contents(world), [])

    const without = await world.api.put(`/workflows/${flow.workflowId}`, { source_id: null })
    assert.equal(without.status, 200, without.text)
    // Read before the change, as by a schedule.
    const late = startJob(workflow, { jobType: 'scheduled', startedBy: null }, { db, engine })
    await assert.rejects(late, { code: 'not_possible' })
  } finally {
    await tasks.close()
    await other.stop()
  }
})
