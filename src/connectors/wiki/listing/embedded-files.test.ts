import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memoryDecisions } from '../../../../test/world/memory-decisions.ts'
import type { PageInfo, Space, WikiClient } from '../client.ts'
import { createEmbeddedFiles } from './embedded-files.ts'

const { signal } = new AbortController()

describe('a body that is older than the page', () => {
  test('it decides nothing, and is read again by the next listing', async () => {
    let version = '1'
    const body = () => ({ id: '7', status: 'current', version, storage: '<p>No link yet.</p>' })
    // Only what this part of a listing calls.
    const client = {
      site: { name: 'wiki.test', home: 'https://wiki.test' },
      bodiesPerRequest: 50,
      bodies: async () => [body()],
      body: async () => body(),
    } as unknown as WikiClient
    const space = { id: '1', key: 'DOCS', alias: 'DOCS' } as Space
    const page = { id: '7', kind: 'page', title: 'Weir', version: '2' } as PageInfo
    const store = memoryDecisions()
    const list = () => createEmbeddedFiles({ client, store }, space).load([page], signal)
    assert.deepEqual(await list(), new Set(['7']))
    version = '2'
    assert.deepEqual(await list(), new Set())
  })
})
