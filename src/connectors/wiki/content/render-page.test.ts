import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Compute } from '../../../compute.ts'
import { AppError } from '../../../errors.ts'
import type { Comment } from '../client.ts'
import { userKey } from './mentions.ts'
import { renderBody } from './render-page.ts'
import { htmlOf } from './storage/rendition.ts'

const { signal } = new AbortController()
const page = { pageId: '7', title: 'Race', spaceKey: 'MILL', home: 'https://wiki.example' }
const mention = (id: string) => `<ac:link><ri:user ri:account-id="${id}"/></ac:link>`
const comment: Comment = {
  ...{ id: '1', pageId: '7', version: '1', resolution: null, parentId: null, author: 'Ben' },
  ...{ createdAt: null, selection: null, storage: `<p>Seen by ${mention('b')}</p>` },
}
const names = new Map([[userKey({ by: 'account', id: 'a' }), 'Ann']])
const pageOf = (paragraphs: number) => ({
  storage: `${`<p>Water for ${mention('a')}</p><ac:image><ri:attachment ri:filename="a.png"/></ac:image>`.repeat(paragraphs)}<ac:structured-macro ac:name="include"/>`,
  ...{ page, comments: [comment], names },
})

/** As the other process does: input and result are copied. */
function otherProcess() {
  const modules: string[] = []
  const compute: Compute = async ({ module, name, input }) => {
    modules.push(module)
    const functions = (await import(module)) as Record<string, (input: unknown) => unknown>
    return structuredClone(functions[name]?.(structuredClone(input)))
  }
  return { modules, compute }
}

describe('rendering a page', () => {
  test('it happens in another process above 256 KB, with the same result', async () => {
    const { modules, compute } = otherProcess()
    const large = pageOf(2500)
    const apart = await renderBody(large, compute, signal)
    assert.equal(modules.length, 1)
    const here = await renderBody(large, undefined, signal)
    assert.equal(htmlOf(apart.rendition.parts), htmlOf(here.rendition.parts))
    assert.deepEqual([apart.unnamed, apart.rendition.dropped], [1, new Set(['include'])])
    assert.match(htmlOf(apart.rendition.parts), /Water for Ann/)
    await renderBody(pageOf(10), compute, signal)
    assert.equal(modules.length, 1, 'a short page is rendered here')
  })

  test('it counts the comments', async () => {
    const { modules, compute } = otherProcess()
    const long = { ...comment, storage: '<p>Water.</p>'.repeat(25_000) }
    await renderBody({ ...pageOf(1), comments: [long] }, compute, signal)
    assert.equal(modules.length, 1)
  })

  test('it refuses a page that is nested too deeply', async () => {
    const storage = '<div>'.repeat(1_000_001)
    await assert.rejects(
      renderBody({ storage, page, comments: [], names }, undefined, signal),
      (error) =>
        error instanceof AppError && error.code === 'document_broken' && /nested/.test(error.message),
    )
  })
})
