import assert from 'node:assert/strict'
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Entry } from '../ledger-entry.ts'
import { openState } from './state-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'))
  path = join(folder, 'job.state.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('what was settled is found again, and what was forgotten is not', async () => {
  const first = await openState(path, 'a')
  const task = first.forTask()
  await task.intend([entry('1', { settled: false }), entry('2')])
  await task.settle([entry('1', { version: '7' })])
  await task.forget(['2'])
  await first.close()
  const second = await openState(path, 'a')
  const found = await second.find(['1', '2', '3'])
  await second.close()
  assert.deepEqual([...found.keys()], ['1'])
  assert.deepEqual(found.get('1'), entry('1', { version: '7' }))
})

test('a fence is higher than all of earlier runs, even where the clock went back', async () => {
  const first = await openState(path, 'a')
  await first.forTask().settle([entry('1')])
  await first.close()
  const ahead = Date.now() + 1_000_000
  await appendFile(path, `${JSON.stringify({ fence: ahead, entry: entry('2') })}\n`)
  const second = await openState(path, 'a')
  const [one, two] = [second.forTask().fence, second.forTask().fence]
  await second.close()
  assert.ok(one > ahead && two > one)
})

test('a last line that was cut by a kill is left out, and the next stands in its place', async () => {
  const first = await openState(path, 'a')
  await first.forTask().settle([entry('1')])
  await first.close()
  await appendFile(path, '{"fence":5,"entry":{"recordId":"2","ele')
  const second = await openState(path, 'a')
  await second.forTask().settle([entry('3')])
  await second.close()
  const third = await openState(path, 'a')
  assert.deepEqual([...(await third.find(['1', '2', '3'])).keys()], ['1', '3'])
  await third.close()
})

test('a file damaged in the middle is refused with the place, and not guessed at', async () => {
  const first = await openState(path, 'a')
  await first.forTask().settle([entry('1'), entry('2')])
  await first.close()
  const lines = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [lines[0], '{"fence":1,', lines[2], ''].join('\n'))
  await assert.rejects(openState(path, 'a'), /is damaged at byte \d+/)
  await assert.rejects(openState(path, 'a'), /is damaged/, 'and lets go of its lock')
})

test('a state of another source or destination is refused', async () => {
  await (await openState(path, 'a')).close()
  await assert.rejects(openState(path, 'b'), /another source or destination/)
  await writeFile(path, 'some: yaml\n')
  await assert.rejects(openState(path, 'a'), /no state file of millrace-ingest/)
})

test('two runs at once are refused, and a run that was killed is no hindrance', async () => {
  const first = await openState(path, 'a')
  await assert.rejects(openState(path, 'a'), (error: Error) => {
    assert.match(error.message, new RegExp(`another run is at work .*process ${process.pid}`))
    return true
  })
  await first.close()
  await writeFile(`${path}.lock`, `999999999 ${hostname()}\n`)
  await (await openState(path, 'a')).close()
  await writeFile(`${path}.lock`, '1 another-machine\n')
  await assert.rejects(openState(path, 'a'), /another-machine/)
})

test('a file does not grow with the number of runs', async () => {
  const sizes: number[] = []
  for (let run = 0; run < 6; run++) {
    const state = await openState(path, 'a')
    const task = state.forTask()
    const entries = Array.from({ length: 50 }, (_, index) => entry(String(index), { version: String(run) }))
    await task.intend(entries)
    await task.settle(entries)
    await state.close()
    sizes.push((await stat(path)).size)
  }
  assert.ok(sizes.at(-1)! <= sizes[0]! * 1.01, sizes.join(' '))
  const state = await openState(path, 'a')
  assert.equal((await state.find(['49'])).get('49')?.version, '5')
  assert.equal(state.count(), 50)
  await state.close()
})

test('all but the seen ones are gone through, while entries are being forgotten', async () => {
  const state = await openState(path, 'a')
  const task = state.forTask()
  const ids = Array.from({ length: 1200 }, (_, index) => String(index))
  await task.settle(ids.map((id) => entry(id)))
  const found: string[] = []
  for await (const entries of state.others(new Set(['0', '600', '1199']))) {
    found.push(...entries.map(({ recordId }) => recordId))
    await task.forget(entries.map(({ recordId }) => recordId))
  }
  await state.close()
  assert.equal(found.length, 1197)
  assert.ok(!found.includes('600'))
})

test('many tasks that write at once leave whole lines', async () => {
  const state = await openState(path, 'a')
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      state.forTask().settle([entry(`r${index}`), entry(`s${index}`)]),
    ),
  )
  await state.close()
  const again = await openState(path, 'a')
  assert.equal(again.count(), 80)
  await again.close()
})

function entry(recordId: string, other: Partial<Entry> = {}): Entry {
  return {
    ...{ recordId, scope: 'ENG', position: '1', locator: { page_id: recordId }, version: '1' },
    ...{ stateHash: 's', settingsHash: 'h', elementIds: ['a', 'b'], settled: true, ...other },
  }
}
