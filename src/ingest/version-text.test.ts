import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Source } from '../connectors/source.ts'
import type { DocumentRef } from '../document.ts'
import { NO_ACCESS } from '../permissions/levels.ts'
import type { RunnerFactory } from '../pipeline/runner-factory.ts'
import { compareVersions } from './version-text.ts'

const ref: DocumentRef = {
  ...{ recordId: 'wiki.example/3', scope: 'MILL', position: '3', locator: {}, version: '2', title: 'Plans' },
  ...{ url: '', scopeName: 'The mill', ancestors: [], labels: [], access: NO_ACCESS },
} as unknown as DocumentRef

/** A source that keeps versions, also of what it does not list any more. */
async function compare(listed: DocumentRef[]) {
  const read: string[] = []
  const source = {
    relist: async () => ({ refs: listed, asOf: new Date() }),
    readVersion: async (_: DocumentRef, version: string) => {
      read.push(version)
      return { ref, version, filetype: 'text/html', body: version }
    },
  } as unknown as Source
  const partition = async ({ body }: { body: string }) => ({
    elements: [{ type: 'NarrativeText', element_id: body, text: `Goal ${body}.`, metadata: {} }],
    warnings: [],
  })
  const runners = { create: async () => ({ partition }) } as unknown as RunnerFactory
  const { signal } = new AbortController()
  const compared = await compareVersions({ source, nodes: [], runners }, { ref, from: '1', to: '2' }, signal)
  return { ...compared, read }
}

test('it compares versions of a document that the source lists', async () => {
  const { text, read } = await compare([ref])
  assert.deepEqual(read, ['1', '2'])
  assert.deepEqual(
    text?.map(({ kind }) => kind),
    ['removed', 'added'],
  )
})

test('it reads no version of a document that left the source', async () => {
  const { text, problem, read } = await compare([])
  assert.deepEqual([text, read], [null, []])
  assert.match(problem ?? '', /does not show it to the service/)
})
