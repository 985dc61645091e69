import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Destination, WriteItem } from '../destination.ts'
import type { WithCapabilities } from '../type.ts'
import { openFolder } from './destination.ts'
import { type ElementLine, fileError, fileOf, readElementLines } from './files.ts'

const { signal } = new AbortController()
let around: string
let path: string
let folder: WithCapabilities<Destination, 'inspect'>

beforeEach(async () => {
  around = await mkdtemp(join(tmpdir(), 'folder-'))
  path = join(around, 'a/b')
  folder = openFolder({ path })
  await folder.prepare({ dims: null }, signal)
})
afterEach(() => rm(around, { recursive: true, force: true }))

test('it passes its check without creating the folder', async () => {
  const elsewhere = join(around, 'x/y')
  const report = await openFolder({ path: elsewhere }).check(signal)
  assert.deepEqual([report.ok, report.steps[0]?.detail], [true, `${elsewhere} will be created`])
  assert.equal(existsSync(join(around, 'x')), false)
  assert.equal((await folder.check(signal)).steps[0]?.detail, `${path} can be written`)
})

test('it keeps its identity when prepared twice, and gets another when recreated', async () => {
  const { identity } = await folder.prepare({ dims: 3 }, signal)
  assert.deepEqual(await folder.prepare({ dims: null }, signal), { identity })
  await rm(join(path, '.millrace'))
  assert.notEqual((await folder.prepare({ dims: null }, signal)).identity, identity)
  await writeFile(join(path, '.millrace'), '')
  assert.notEqual((await folder.prepare({ dims: null }, signal)).identity, '', 'cut by a kill')
})

test('it writes an element as one line', async () => {
  await folder.write([item('w/1', 'e1', { embeddings: [0.5, -1] })], 1, signal)
  assert.deepEqual(await lines('w/1'), [
    {
      ...{ record_id: 'w/1', type: 'CompositeElement', element_id: 'e1', text: 'words of e1' },
      embeddings: [0.5, -1],
      metadata: { filename: '1.html', filetype: 'text/html', data_source: about('ann') },
    },
  ])
})

test('it leaves nothing stale of a document with new elements, and keeps their order', async () => {
  await folder.write(
    ['e1', 'e2', 'e3'].map((id) => item('w/1', id)),
    1,
    signal,
  )
  await folder.write([item('w/1', 'e4'), item('w/1', 'e2', { text: 'newer' })], 2, signal)
  await folder.remove([{ recordId: 'w/1', elementIds: ['e1', 'e3'] }], 2, signal)
  assert.deepEqual(
    (await lines('w/1')).map(({ element_id, text }) => `${element_id} ${text}`),
    ['e4 words of e4', 'e2 newer'],
  )
})

test('it removes a file with its last element, and accepts a second removal', async () => {
  await folder.write([item('w/1', 'e1'), item('w/2', 'e1')], 1, signal)
  const gone = [{ recordId: 'w/1', elementIds: ['e1', 'e9'] }]
  await folder.remove(gone, 2, signal)
  await folder.remove(gone, 2, signal)
  assert.deepEqual(await names(), [fileOf('', 'w/2')])
})

test('it replaces permissions on every element; text and vectors stay equal to the bit', async () => {
  const vector = [0.1, 1 / 3, -1e-9]
  await folder.write([item('w/1', 'e1', { embeddings: vector }), item('w/1', 'e2')], 1, signal)
  const before = await lines('w/1')
  const wanted = { recordId: 'w/1', elementIds: ['e1', 'e2'], dataSource: about('ben') }
  assert.deepEqual(await folder.updateAccess([wanted], 2, signal), [])
  const after = await lines('w/1')
  assert.deepEqual(
    after.map(({ metadata, ...rest }) => rest),
    before.map(({ metadata, ...rest }) => rest),
  )
  for (const { metadata } of after) assert.deepEqual(metadata.data_source, about('ben'))
})

test('it rejects permissions for a missing element by name, and changes nothing', async () => {
  await folder.write([item('w/1', 'e1')], 1, signal)
  const wanted = ['w/1', 'w/2'].map((recordId) => ({
    recordId,
    elementIds: ['e1', 'e9'],
    dataSource: about('ben'),
  }))
  const refused = await folder.updateAccess(wanted, 2, signal)
  assert.deepEqual(
    refused.map(({ recordId, elementId }) => `${recordId} ${elementId}`),
    ['w/1 e9', 'w/2 e1', 'w/2 e9'],
  )
  assert.deepEqual((await lines('w/1'))[0]?.metadata.data_source, about('ann'))
})

test('it keeps every name inside the folder and unique', async () => {
  const ids = [
    '../../etc/passwd',
    '/etc/passwd',
    'a/../../b',
    '..',
    '.',
    '',
    '.millrace',
    'a\0b',
    '\n',
    'CON',
  ]
  ids.push('w/1', 'w_1', 'W/1', 'x'.repeat(5000), `${'x'.repeat(5000)}y`, '日本', '日米', '\u202e.jsonl')
  await folder.write(
    ids.map((id) => item(id, 'e1')),
    1,
    signal,
  )
  assert.deepEqual(await readdir(around), ['a'])
  assert.deepEqual(await readdir(dirname(path)), ['b'])
  assert.equal((await names()).length, ids.length)
  for (const id of ids) {
    assert.equal(dirname(resolve(fileOf(path, id))), path)
    assert.equal((await lines(id))[0]?.record_id, id)
  }
})

test('it reports held elements and the inventory', async () => {
  await folder.write([item('w/1', 'e1'), item('w/1', 'e2'), item('w/2', 'e1')], 1, signal)
  await writeFile(join(path, 'notes.txt'), 'another file')
  const held = await folder.inspect.stored([{ recordId: 'w/1', elementIds: ['e2', 'e9'] }], signal)
  assert.deepEqual(
    held.map(({ recordId, elementId }) => `${recordId} ${elementId}`),
    ['w/1 e2'],
  )
  const all = (await Array.fromAsync(folder.inspect.inventory(signal))).flat()
  assert.deepEqual(
    all.map(({ recordId, elementId, scopeKey }) => `${recordId} ${elementId} ${scopeKey}`).sort(),
    [...['w/1 e1 ENG', 'w/1 e2 ENG', 'w/2 e1 ENG']],
  )
})

test('it removes a partial write with its document, and keeps other files', async () => {
  const half = `${fileOf(path, 'w/2')}.part`
  await writeFile(half, 'half of a page that is gone by now')
  await writeFile(join(path, 'mine.part'), 'another file')
  await folder.prepare({ dims: null }, signal)
  await folder.remove([{ recordId: 'w/2', elementIds: ['e1'] }], 2, signal)
  assert.deepEqual((await readdir(path)).sort(), ['.millrace', 'mine.part'])
})

test('it rejects one document whose file is not valid JSON, by name', async () => {
  await folder.write([item('w/1', 'e1')], 1, signal)
  await writeFile(fileOf(path, 'w/1'), '{"record_id": "w/1", "ele')
  await assert.rejects(folder.write([item('w/1', 'e1')], 2, signal), (error: Error & { code?: string }) => {
    assert.equal(error.code, 'destination_rejected')
    assert.ok(error.message.includes(fileOf(path, 'w/1')))
    return true
  })
})

test('it keeps the old file and ends the run when the disk is full', async () => {
  await folder.write([item('w/1', 'e1')], 1, signal)
  const before = await readFile(fileOf(path, 'w/1'), 'utf8')
  // A limit on the size of files ends a write in the middle, as a full disk does.
  const script = `
    const { openFolder } = await import(${JSON.stringify(new URL('./destination.ts', import.meta.url).href)})
    const item = JSON.parse(process.argv[2])
    item.element.text = 'x'.repeat(50_000)
    await openFolder({ path: process.argv[1] }).write([item], 2, new AbortController().signal).catch((error) =>
      console.log(JSON.stringify({ code: error.code, endsJob: error.endsJob, message: error.message })))`
  const given = [
    process.execPath,
    '--input-type=module',
    '-e',
    script,
    path,
    JSON.stringify(item('w/1', 'e2')),
  ]
  const words = given.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const { stdout, stderr } = spawnSync('bash', ['-c', `ulimit -f 8 && ${words}`], { encoding: 'utf8' })
  const { code, endsJob, message } = JSON.parse(stdout || `{"message": ${JSON.stringify(stderr)}}`)
  assert.deepEqual([code, endsJob], ['destination_read_only', true], message)
  assert.match(message, /^writing .*: the file would be larger than allowed/)
  assert.equal(await readFile(fileOf(path, 'w/1'), 'utf8'), before)
  assert.deepEqual(await names(), [fileOf('', 'w/1')])
  assert.equal((await readdir(path)).length, 2, 'no partial file is left')
})

test('it explains disk errors and says what to do', () => {
  const explain = (code: string) => {
    const { message, fix } = fileError('writing', '/x', Object.assign(new Error('raw'), { code }))
    return `${message}. ${fix}`
  }
  assert.match(explain('ENOSPC'), /^writing \/x: the disk is full\. Free some space and run again/)
  assert.match(explain('EDQUOT'), /full/)
  assert.match(explain('EROFS'), /the file system is read-only\. Choose another folder/)
  assert.match(explain('EACCES'), /permission denied/)
})

test('it fails the check and the start on a path that cannot be a folder', async () => {
  await writeFile(join(around, 'file'), '')
  for (const wrong of [join(around, 'file'), join(around, 'file/below')]) {
    const opened = openFolder({ path: wrong })
    const { ok, reason } = await opened.check(signal)
    assert.equal(ok, false)
    assert.match(reason ?? '', /is a file/)
    await assert.rejects(opened.prepare({ dims: null }, signal), { code: 'destination_read_only' })
  }
})

test('it writes no further document once stopped', async () => {
  const stopped = AbortSignal.abort()
  await assert.rejects(folder.write([item('w/1', 'e1')], 1, stopped))
  await mkdir(path, { recursive: true })
  assert.deepEqual(await names(), [])
})

function item(recordId: string, id: string, more: Partial<WriteItem['element']> = {}): WriteItem {
  return {
    recordId,
    element: {
      ...{ type: 'CompositeElement', element_id: id, text: `words of ${id}` },
      metadata: { filename: '1.html', filetype: 'text/html' },
      ...more,
    },
    dataSource: about('ann'),
  }
}

function about(reader: string) {
  return { title: 'Page', record_locator: { space_key: 'ENG' }, access: { c0: [`user:${reader}`] } }
}

function lines(recordId: string): Promise<ElementLine[]> {
  return readElementLines(fileOf(path, recordId))
}

async function names(): Promise<string[]> {
  return (await readdir(path)).filter((name) => name.endsWith('.jsonl')).sort()
}
