import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { assertAgreement, contents } from '../../test/world/agreement.ts'
import { CUT_MODES, type CutAt } from '../../test/world/cut-calls.ts'
import { type Flow, makeFlow } from '../../test/world/flow.ts'
import { randomOf } from '../../test/world/random-edits.ts'
import { ALL_PEOPLE, onlyFor } from '../../test/world/small-world.ts'
import { openTaskWorld, type Task, type TaskWorld, workTwice } from '../../test/world/task-world.ts'
import type { TaskName } from '../jobs/queue/engine.ts'
import { readJob } from '../store/jobs/jobs.ts'
import { searchedLedger } from '../store/ledger/ledgers.ts'
import { hasUnwrittenPermissions } from '../store/ledger/unwritten-permissions.ts'
import { readWorkflow } from '../store/workflows/workflows.ts'
import { startPermissionPass } from './permission-passes.ts'
import { deleteWithElements } from './remove-elements.ts'
import { startJob } from './start.ts'

/**
 * Every task is cut at a call to the database, the source or the index, and delivered again; then index and ledger equal
 * the wiki. Each run samples the calls; MILLRACE_TEST_EVERY_CUT=1 cuts at all of them, and
 * MILLRACE_TEST_DESTINATION=postgres in a table.
 */
const EVERY = process.env.MILLRACE_TEST_EVERY_CUT === '1'
const destination = process.env.MILLRACE_TEST_DESTINATION === 'postgres' ? 'postgres' : 'searchindex'
const SAMPLES = 3
const SEED = 13
const wiki = { seed: 41, pages: 10, spaces: 2, people: 6, groups: 2 }

describe('a task that is cut at any call and delivered again', () => {
  let tasks: TaskWorld
  let flow: Flow
  let [round, person, created] = [0, '', '']

  before(async () => {
    tasks = await openTaskWorld({ wiki, destination })
    flow = await makeFlow(tasks.world)
    person = (await tasks.world.wiki.control.truth()).people.find(
      ({ active, accountType }) => active && accountType === 'atlassian',
    )!.accountId
    await startContentJob()
    await workTwice(tasks)
    await assertEqual()
  })
  after(() => tasks.close())

  for (const name of ['list', 'content', 'finish'] as const)
    cutEach(name, async (cutAt) => {
      await editWiki()
      const jobId = await startContentJob()
      const delivered = await deliverUntil(name, cutAt)
      await workTwice(tasks)
      await assertEnded(jobId)
      await assertEqual()
      return delivered
    })

  cutEach('permissions', async (cutAt) => {
    await editPermissions()
    const jobId = await startPass()
    const delivered = await deliverUntil('permissions', cutAt)
    await workTwice(tasks)
    await assertEnded(jobId)
    await assertEqual({ isSettled: false })
    return delivered
  })

  cutEach('write_permissions', async (cutAt) => {
    await editPermissions()
    // The pass cannot write, so its differences are left to the writer.
    const jobId = await startPass()
    const pass: Task = { name: 'permissions', data: { jobId } }
    await tasks.deliver(pass, { failing: 'destination.updateAccess' })
    assert.equal((await readJob(tasks.db, jobId))?.processing_status, 'COMPLETED_WITH_ERRORS')
    const task: Task = { name: 'write_permissions', data: { workflowId: flow.workflowId } }
    const delivered = await tasks.deliver(task, cutAt)
    await tasks.deliver(task)
    assert.equal(await hasUnwrittenPermissions(tasks.db, flow.workflowId), false)
    await assertEqual({ isSettled: false })
    return delivered
  })

  cutEach('remove_elements', async (cutAt) => {
    const workflow = (await readWorkflow(tasks.db, flow.workflowId))!
    const job = await deleteWithElements(workflow, { startedBy: 'test' }, tasks)
    assert.ok(job)
    const delivered = await deliverUntil('remove_elements', cutAt)
    await workTwice(tasks)
    await assertEnded(job.id)
    assert.deepEqual(await contents(tasks.world), [])
    await makeWorkflow()
    await startContentJob()
    await workTwice(tasks)
    await assertEqual()
    return delivered
  })

  /** Cuts one kind of task at one call after the other, in every mode. */
  function cutEach(
    name: TaskName,
    run: (cutAt?: CutAt) => Promise<{ calls: number; cut: string | null }>,
  ): void {
    test(`it leaves index and ledger right: ${name} (seed ${SEED})`, async (context) => {
      const { calls } = await run()
      const random = randomOf(SEED)
      const all = CUT_MODES.flatMap((mode) =>
        Array.from({ length: calls }, (_, at) => ({ call: at + 1, mode })),
      )
      const chosen = EVERY
        ? all
        : Array.from({ length: SAMPLES * CUT_MODES.length }, () => all[Math.floor(random() * all.length)]!)
      let cuts = 0
      for (const cutAt of chosen) {
        let cut: string | null = null
        try {
          ;({ cut } = await run(cutAt))
        } catch (error) {
          throw new Error(`${name} ${JSON.stringify(cutAt)}: ${cut}`, { cause: error })
        }
        if (cut) cuts++
      }
      context.diagnostic(`${name}: ${calls} calls, ${cuts} cuts`)
      assert.ok(cuts > 0)
    })
  }

  /** Works on the queue up to the first task of a kind, cuts it, and delivers it again. */
  async function deliverUntil(name: TaskName, cutAt?: CutAt) {
    for (let [task] = await tasks.waiting(); task; [task] = await tasks.waiting()) {
      if (task.name !== name) await tasks.deliver(task)
      else {
        const delivered = await tasks.deliver(task, cutAt)
        if (delivered.cut) await tasks.deliver(task)
        return delivered
      }
    }
    assert.fail(`no task ${name} was sent`)
  }

  async function startContentJob(): Promise<string> {
    const workflow = (await readWorkflow(tasks.db, flow.workflowId))!
    return (await startJob(workflow, { jobType: 'persistent', startedBy: 'test' }, tasks)).id
  }

  async function startPass(): Promise<string> {
    const workflow = (await readWorkflow(tasks.db, flow.workflowId))!
    return (await startPermissionPass(workflow, { jobType: 'persistent', startedBy: 'test' }, tasks)).id
  }

  async function makeWorkflow(): Promise<void> {
    const { sourceId: source_id, destinationId: destination_id } = flow
    const made = await tasks.world.api.post<{ id: string }>('/workflows', {
      ...{ name: `flow ${round++}`, workflow_type: 'custom', source_id, destination_id },
      workflow_nodes: [{ name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} }],
    })
    assert.equal(made.status, 200, made.text)
    flow = { ...flow, workflowId: made.body.id }
  }

  /** Something of every kind: an edit, a growth, a restriction, a new page and a removed one. */
  async function editWiki(): Promise<void> {
    const { control } = tasks.world.wiki
    const pages = await currentPages()
    round++
    await control.editPage(pages[0]!.id, { body: `<p>Round ${round}.</p>` })
    await control.editPage(pages[1]!.id, { body: `<h2>T</h2><p>${'word '.repeat(round % 2 ? 900 : 5)}</p>` })
    await editPermissions()
    if (created) await control.trashPage(created)
    created = await control.createPage({ space: pages[0]!.spaceKey, title: `New ${round}` })
  }

  /** Closes a page and a space in one round, and opens them in the next. */
  async function editPermissions(): Promise<void> {
    const { control } = tasks.world.wiki
    const pages = await currentPages()
    const isClosed = round++ % 2 === 0
    await control.restrict(pages[2]!.id, { read: isClosed ? { users: [person] } : {} })
    await control.setSpacePermissions(pages.at(-1)!.spaceKey, isClosed ? onlyFor(person) : ALL_PEOPLE)
  }

  async function currentPages() {
    const { pages, spaces } = await tasks.world.wiki.control.truth()
    const keys = new Set(spaces.filter(({ status }) => status === 'current').map(({ key }) => key))
    return pages.filter(
      ({ kind, status, spaceKey, id }) =>
        kind === 'page' && status === 'current' && keys.has(spaceKey) && id !== created,
    )
  }

  async function assertEnded(jobId: string): Promise<void> {
    const job = await readJob(tasks.db, jobId)
    assert.deepEqual([job?.status, job?.processing_status, job?.message], ['COMPLETED', 'SUCCESS', null])
  }

  /** The index equals the wiki, and the ledger equals the index. */
  async function assertEqual({ isSettled = true } = {}): Promise<void> {
    await assertAgreement(tasks.world)
    // As the regular sweep does; sets that a content job has written count as different until then.
    await tasks.deliver({ name: 'write_permissions', data: { workflowId: flow.workflowId } })
    const elements = await assertAgreement(tasks.world)
    const { rows } = await sql<{ id: string; elements: string[]; settled: boolean }>`
      select record_id as id, element_ids as elements, settled from documents
      where ledger_id = ${searchedLedger(flow.workflowId)} and cardinality(element_ids) > 0`.execute(tasks.db)
    const held = Map.groupBy(elements, ({ _source }) => _source.record_id)
    assert.deepEqual(
      rows.map(({ id, elements: ids }) => [id, ids.toSorted()]).toSorted(),
      [...held]
        .map(([id, each]) => [id, each.map(({ _source }) => _source.element_id).toSorted()])
        .toSorted(),
    )
    assert.equal(await hasUnwrittenPermissions(tasks.db, flow.workflowId), false)
    // The text of a document whose permission writer died is written again by the next content job.
    if (!isSettled) return
    assert.ok(
      rows.every(({ settled }) => settled),
      'every document is settled',
    )
  }
})
