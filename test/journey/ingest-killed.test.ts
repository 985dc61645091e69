import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement, contents } from '../world/agreement.ts'
import {
  elementSources,
  exists,
  folderElements,
  type IngestWorld,
  openIngest,
  stateFileOf,
  WITHOUT_VECTORS,
  wikiPart,
} from '../world/ingest.ts'

const KILLS = 14
const PAGES = 160

/** Killed at many moments while the wiki changes; the next complete run ends like a run into an empty index. */
describe('millrace-ingest, killed repeatedly', () => {
  let world: IngestWorld
  before(async () => {
    world = await openIngest({ seed: 8, pages: PAGES, spaces: 4, people: 10, groups: 4, latencyMs: 15 })
  })
  after(() => world.close())

  test('it fills an index like an undisturbed run', async () => {
    const { destination, seen } = await world.freshDestination()
    const job = await jobInto('index.yaml', destination)
    await killed(job)
    const fresh = await world.freshDestination()
    const other = await jobInto('fresh-index.yaml', fresh.destination)
    assert.equal((await world.run(['run', other])).code, 0)
    assert.deepEqual(elementSources(await assertAgreement(seen)), elementSources(await contents(fresh.seen)))
  })

  test('it fills a folder like an undisturbed run', async () => {
    const into = (path: string) => ({ type: 'folder', config: { path } })
    await killed(await jobInto('folder.yaml', into('elements')))
    const other = await jobInto('fresh-folder.yaml', into('fresh'))
    assert.equal((await world.run(['run', other])).code, 0)
    const [left, right] = [join(world.folder, 'elements'), join(world.folder, 'fresh')]
    assert.deepEqual(await folderElements(left), await folderElements(right))
    assert.deepEqual((await readdir(left)).sort(), (await readdir(right)).sort(), 'no incomplete file')
  })

  const jobInto = (name: string, destination: object) =>
    world.job(name, { source: wikiPart(world.wiki), destination, nodes: WITHOUT_VECTORS })

  async function killed(job: string): Promise<void> {
    const state = stateFileOf(job)
    // The duration of a whole run, to choose moments from; grows on a slow machine.
    let longest = 1500
    let inTheMiddle = 0
    for (let kills = 0; kills < KILLS; ) {
      const { child, ended } = world.start(['run', job, '--json', '--approve-deletions'])
      // Before it holds its lock it has changed nothing.
      while (child.exitCode === null && !(await exists(`${state}.lock`))) await sleep(5)
      await Promise.race([sleep(Math.random() * longest), ended])
      child.kill('SIGKILL')
      const { signal, code, err } = await ended
      if (signal === 'SIGKILL') {
        kills++
        if (await exists(`${state}.lock`)) inTheMiddle++
      } else {
        assert.equal(code, 0, err)
        longest *= 0.8
      }
      await change(kills)
    }
    assert.ok(inTheMiddle >= KILLS / 2, `${inTheMiddle} of ${KILLS} kills were in the middle`)
    const last = await world.run(['run', job, '--approve-deletions'])
    assert.equal(last.code, 0, last.err)
    assert.equal(await exists(`${state}.lock`), false)
  }

  /** Some of every kind of edit. */
  async function change(round: number): Promise<void> {
    const { control } = world.wiki
    const { pages, people } = await control.truth()
    const current = pages.filter(({ kind, status }) => kind === 'page' && status === 'current')
    const any = () => current[Math.floor(Math.random() * current.length)]!
    for (let times = 0; times < 12; times++) {
      const paragraphs = Math.floor(Math.random() * 8)
      const view = `<h2>Round ${round}</h2>${`<p>${'New words. '.repeat(60)}</p>`.repeat(paragraphs)}`
      await control.editPage(any().id, { body: view })
    }
    const person = people.filter(({ accountType }) => accountType === 'atlassian')[round % 3]
    await control.restrict(any().id, { read: round % 2 ? { users: [person!.accountId] } : {} })
    const leaf = current.find(({ id, parentId }) => parentId && !pages.some((each) => each.parentId === id))
    if (leaf) await control.trashPage(leaf.id)
    await control.createPage({ space: any().spaceKey, title: `Made in round ${round}` })
  }
})
