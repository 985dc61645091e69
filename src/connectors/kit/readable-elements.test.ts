import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FoundElement, readableElements } from './readable-elements.ts'

const found = (key: string, access: FoundElement['access']): FoundElement => ({
  ...{
    key,
    access,
    record_id: 'site/1',
    element_id: key,
    type: 'Text',
    text: '',
    highlights: [],
    title: null,
  },
  ...{
    url: null,
    version: null,
    date_modified: null,
    space_key: null,
    filetype: null,
    page_number: null,
    path_in_archive: null,
  },
})

test('it drops what a destination returns although a clause matches no token', async () => {
  const stored = [
    found('all', { c0: ['group:a', 'user:1'], c1: 'user:1' }),
    found('one', { c0: ['user:1'], c1: ['user:2'] }),
    found('unknown', { c0: ['user:1'], c99: ['user:2'] }),
    found('none', {}),
    found('late', { c1: ['user:1'] }),
  ]
  const readable = await readableElements(
    { keys: ['all'], tokens: ['user:1', 'group:b'] },
    async () => stored,
  )
  assert.deepEqual([...readable.keys()], ['all'])
  assert.deepEqual(readable.get('all')?.granted_by, ['user:1'])
  assert.ok(!('access' in readable.get('all')!))
})

test('it reads nothing without tokens, and at most 500 keys at once', async () => {
  const read: number[] = []
  const count = async (keys: string[]) => {
    read.push(keys.length)
    return []
  }
  const keys = Array.from({ length: 1001 }, (_, at) => String(at))
  await readableElements({ keys, tokens: [] }, count)
  assert.deepEqual(read, [])
  await readableElements({ keys, tokens: ['user:1'] }, count)
  assert.deepEqual(read, [500, 500, 1])
})
