import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  access,
  appendFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Entry } from '../../ledger-entry.ts'
import { openState } from './state-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'state-'))
  path = join(folder, 'job.state.jsonl')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('it finds settled entries again and no deleted ones', async () => {
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

test('it takes a higher fence than all earlier runs, even if the clock went back', async () => {
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

test('it overwrites a last line that a kill cut off', async () => {
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

test('it refuses a file that is damaged in the middle and names the position', async () => {
  const first = await openState(path, 'a')
  await first.forTask().settle([entry('1'), entry('2')])
  await first.close()
  const lines = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [lines[0], '{"fence":1,', lines[2], ''].join('\n'))
  await assert.rejects(openState(path, 'a'), /is damaged at byte \d+/)
  await assert.rejects(openState(path, 'a'), /is damaged/, 'the lock is released')
})

test('it refuses the state of another source or destination', async () => {
  const first = await openState(path, 'a')
  await first.forTask().settle([entry('1')])
  await first.close()
  await assert.rejects(openState(path, 'b'), /another source or destination/)
  await writeFile(path, 'some: yaml\n')
  await assert.rejects(openState(path, 'a'), /not a state file of millrace-ingest/)
})

test('it refuses a second run at a time, but ignores the lock of a killed one', async () => {
  const first = await openState(path, 'a')
  await assert.rejects(openState(path, 'a'), (error: Error) => {
    assert.match(error.message, new RegExp(`another run uses this state file .*process ${process.pid}`))
    return true
  })
  await first.close()
  await writeFile(`${path}.lock`, `999999999 ${hostname()}\n`)
  await (await openState(path, 'a')).close()
  await writeFile(`${path}.lock`, '1 another-machine\n')
  await assert.rejects(openState(path, 'a'), /another-machine/)
})

test('it keeps the size of the file over many runs', async () => {
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

test('it never changes a file of another program', async () => {
  for (const text of ['notes without a line end', '{"millrace', '']) {
    await writeFile(path, text)
    if (text.startsWith('notes'))
      await assert.rejects(openState(path, 'a'), /not a state file of millrace-ingest/)
    else await (await openState(path, 'a')).close()
    if (text.startsWith('notes')) assert.equal(await readFile(path, 'utf8'), text)
  }
})

test('it refuses a file of a gigabyte without a line end at once', async () => {
  await writeFile(path, 'x')
  const file = await open(path, 'r+')
  await file.truncate(2 ** 30)
  await file.close()
  const before = process.memoryUsage().rss
  await assert.rejects(openState(path, 'a'), /not a state file/)
  assert.ok(process.memoryUsage().rss - before < 200e6)
})

test('it reuses an empty state for another source or destination', async () => {
  const first = await openState(path, 'with-a-typo')
  const task = first.forTask()
  await task.intend([entry('1')])
  await task.forget(['1'])
  await first.close()
  const second = await openState(path, 'a')
  assert.ok(second.forTask().fence > task.fence)
  await second.forTask().settle([entry('1')])
  await second.close()
  await assert.rejects(openState(path, 'with-a-typo'), /another source or destination/)
})

test('it remembers the fence after all entries were deleted', async () => {
  const first = await openState(path, 'a')
  await appendFile(path, `${JSON.stringify({ fence: Date.now() + 1_000_000, entry: entry('2') })}\n`)
  await first.close()
  const second = await openState(path, 'a')
  const task = second.forTask()
  await task.forget(['2'])
  await second.close()
  const third = await openState(path, 'a')
  assert.ok(third.forTask().fence > task.fence)
  await third.close()
})

test('it keeps written entries on a full disk and reports the error', async () => {
  // A file size limit acts like a full disk: a part is written, the next is refused.
  const script = `
    const { openState } = await import(${JSON.stringify(new URL('./state-file.ts', import.meta.url).href)})
    const state = await openState(process.argv[1], 'a')
    let written = 0
    try {
      for (; written < 1000; written++) await state.forTask().settle([JSON.parse(process.argv[2].replaceAll('ID', written))])
    } catch (error) { console.log(JSON.stringify({ written, code: error.code, message: error.message })) }
    await state.close()`
  const one = JSON.stringify(entry('ID', { scope: 'x'.repeat(701) }))
  const quoted = [process.execPath, '--input-type=module', '-e', script, path, one].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  )
  const { stdout, stderr, status } = spawnSync('bash', ['-c', `ulimit -f 16 && exec ${quoted.join(' ')}`], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  const { written, code, message } = JSON.parse(stdout)
  assert.equal(code, 'destination_read_only')
  assert.match(message, /cannot be written/)
  assert.ok(written > 5)
  const state = await openState(path, 'a')
  assert.equal(state.count(), written)
  await state.close()
})

test('it keeps the uncompacted file if compaction fails', async () => {
  const state = await openState(path, 'a')
  for (let time = 0; time < 5; time++) await state.forTask().settle([entry('1', { version: String(time) })])
  await mkdir(`${path}.part`)
  await state.close()
  await assert.rejects(access(`${path}.lock`), 'the lock is released')
  const again = await openState(path, 'a')
  assert.equal((await again.find(['1'])).get('1')?.version, '4')
  await again.close()
})

test('it deletes the rest of an interrupted compaction', async () => {
  await (await openState(path, 'a')).close()
  await writeFile(`${path}.part`, 'half of it')
  await (await openState(path, 'a')).close()
  assert.deepEqual(await readdir(folder), ['job.state.jsonl'])
})

test('it gives the lock to one of many simultaneous runs', async () => {
  await writeFile(`${path}.lock`, `999999999 ${hostname()}\n`)
  const script = `
    const { openState } = await import(${JSON.stringify(new URL('./state-file.ts', import.meta.url).href)})
    process.stdin.once('data', async () => {
      const state = await openState(process.argv[1], 'a').catch((error) => error)
      console.log(state instanceof Error ? state.message : 'acquired')
      // Holds the lock until all runs have tried.
      process.stdin.once('end', async () => { await state.close?.(); process.exit() })
    })
    console.log('ready')`
  const children = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      return child
    }),
  )
  const outputs = children.map(async (child) => String((await once(child.stdout, 'data'))[0]).trim())
  for (const child of children) child.stdin.write('go')
  const answers = await Promise.all(outputs)
  for (const child of children) child.stdin.end()
  await Promise.all(children.map((child) => child.exitCode ?? once(child, 'exit')))
  assert.equal(answers.filter((answer) => answer === 'acquired').length, 1, answers.join('\n'))
  assert.equal(answers.filter((answer) => answer.startsWith('another run uses this state file')).length, 7)
})

test('it ignores a run that died while replacing a lock', async () => {
  const dead = `999999999 ${hostname()}\n`
  await writeFile(`${path}.lock`, dead)
  const right = createHash('sha256').update(dead).digest('hex').slice(0, 16)
  await writeFile(`${path}.lock.${right}`, `999999998 ${hostname()}\n`)
  await (await openState(path, 'a')).close()
  assert.deepEqual(
    (await readdir(dirname(path))).filter((name) => name.includes('.lock')),
    [],
  )
})

test('it does not compare process ids of another container', async () => {
  await writeFile(`${path}.lock`, `999999999 ${hostname()} 5 pid:[1] x\n`)
  await assert.rejects(openState(path, 'a'), /another run uses this state file/)
})

test('it ignores the lock of a killed process whose id is reused', async () => {
  const first = await openState(path, 'a')
  const mine = await readFile(`${path}.lock`, 'utf8')
  await first.close()
  // The id of our parent, which is alive but has another start time.
  await writeFile(`${path}.lock`, mine.replace(String(process.pid), String(process.ppid)))
  await (await openState(path, 'a')).close()
})

test('it respects the lock of another machine until it expires', async () => {
  await writeFile(`${path}.lock`, '1 another-machine 5\n')
  await assert.rejects(openState(path, 'a'), /another-machine/)
  const longAgo = new Date(Date.now() - 11 * 60_000)
  await utimes(`${path}.lock`, longAgo, longAgo)
  await (await openState(path, 'a')).close()
})

test('it writes nothing after another run took over its lock', async ({ mock }) => {
  const state = await openState(path, 'a')
  await state.forTask().settle([entry('1')])
  await writeFile(`${path}.lock`, '1 another-machine 5\n')
  mock.timers.enable({ apis: ['Date'], now: Date.now() + 20 * 60_000 })
  await assert.rejects(state.forTask().settle([entry('2')]), /another run took over/)
  mock.timers.reset()
  await state.close()
  assert.match(await readFile(`${path}.lock`, 'utf8'), /another-machine/, 'the lock of the other run stays')
})

test('it iterates over all unseen entries while entries are deleted', async () => {
  const state = await openState(path, 'a')
  const task = state.forTask()
  const ids = Array.from({ length: 1200 }, (_, index) => String(index))
  await task.settle(ids.map((id) => entry(id)))
  const found: string[] = []
  for await (const entries of state.entriesExcept(new Set(['0', '600', '1199']))) {
    found.push(...entries.map(({ recordId }) => recordId))
    await task.forget(entries.map(({ recordId }) => recordId))
  }
  await state.close()
  assert.equal(found.length, 1197)
  assert.ok(!found.includes('600'))
})

test('it writes whole lines from many concurrent tasks', async () => {
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
