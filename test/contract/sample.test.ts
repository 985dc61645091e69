import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { loadSample, type SampleFile } from '../../src/connectors/sample/file.ts'
import { openSample, type SampleSource } from '../../src/connectors/sample/source.ts'
import { sample } from '../../src/connectors/sample/type.ts'
import type { Operation } from '../../src/connectors/source.ts'
import type { DocumentRef } from '../../src/document.ts'
import type { Principals } from '../../src/permissions/principals.ts'
import { type MadeSample, makeSample } from '../world/sample/make-file.ts'
import { sourceContract } from './source.ts'

const { signal } = new AbortController()
const SITE = 'sample-wiki.millrace.internal'

async function refsOf(source: SampleSource): Promise<DocumentRef[]> {
  const pages = await Array.fromAsync(source.list(signal))
  return pages.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
}

describe('the sample is a source', () => {
  let file: SampleFile
  let source: SampleSource
  before(async () => {
    file = structuredClone(await loadSample())
    source = openSample({ spaces: [] }, file)
  })
  sourceContract(sample, () => ({
    source,
    steps: 3,
    deleteDocument: async (recordId) => {
      file.pages = file.pages.filter(({ id }) => !recordId.endsWith(`/${id}`))
    },
  }))
})

describe('the file of the sample', () => {
  let made: MadeSample
  let source: SampleSource
  before(async () => {
    made = await makeSample()
    source = openSample({ spaces: [] }, await loadSample())
  })

  test('it is what `npm run sample` writes', async () => {
    assert.deepEqual(await loadSample(), made.file)
  })

  test('it lists what the wiki source lists, with the same permissions', async () => {
    const ofWiki = JSON.stringify(made.refs)
      .replaceAll(encodeURIComponent(made.site), SITE)
      .replaceAll(made.site, SITE)
    assert.deepEqual(await refsOf(source), JSON.parse(ofWiki))
  })
})

describe('a sample of some spaces', () => {
  const open = async (...spaces: string[]) => openSample({ spaces }, await loadSample())

  test('it lists, finds and explains no pages of others', async () => {
    const [outside] = await refsOf(await open('FIN'))
    const source = await open('HB')
    assert.deepEqual([...new Set((await refsOf(source)).map(({ scope }) => scope))], ['HB'])
    assert.ok(outside)
    assert.deepEqual(await source.locate([outside], signal), new Map([[outside.recordId, null]]))
    assert.deepEqual((await source.relist([outside], signal)).refs, [])
    await assert.rejects(source.levels(outside, signal), { code: 'document_gone' })
  })

  test('it names spaces that do not exist in the check and in the listing', async () => {
    const source = await open('HB', 'NONE')
    const report = await source.check(signal)
    assert.equal(report.ok, false)
    assert.match(report.reason ?? '', /no space NONE/)
    await assert.rejects(refsOf(source), { code: 'source_space_missing' })
  })
})

test('it lists no page below one that is missing', async () => {
  const file = structuredClone(await loadSample())
  const restricted = file.pages.find(({ title }) => title === 'Postmortems') ?? assert.fail()
  file.pages = file.pages.filter((page) => page !== restricted)
  await assert.rejects(refsOf(openSample({ spaces: [] }, file)), { code: 'source_misread' })
})

describe('the people of the sample', () => {
  test('it decides as the written permissions do, for every person, page and operation', async () => {
    const file = await loadSample()
    const source = openSample({ spaces: [] }, file)
    const operations: Operation[] = ['read', 'update', 'delete']
    let granted = 0
    for (const { id: user } of file.people) {
      const { groups, classes } = await source.people.groupsOf(user, signal)
      for (const document of await refsOf(source)) {
        for (const [at, operation] of operations.entries()) {
          const [who = assert.fail()]: Principals[] = Object.values(document.access.permissions[at] ?? {})
          const isNamed =
            who.users.includes(user) ||
            who.groups.some((group) => groups.includes(group)) ||
            (who.access_classes ?? []).some((name) => classes.includes(name))
          assert.equal(
            await source.checkPermission({ user, operation, document }, signal),
            isNamed,
            document.title,
          )
          if (isNamed) granted++
        }
      }
    }
    assert.ok(granted > 1000, `${granted} grants`)
  })

  test('it is found by the beginning of any word of the name', async () => {
    const { people } = openSample({ spaces: [] }, await loadSample())
    for (const text of ['Pri', 'nair', 'Priya N'])
      assert.deepEqual(
        (await people.find(text, signal)).map(({ name }) => name),
        ['Priya Nair'],
      )
    assert.deepEqual(await people.find('riya', signal), [])
  })
})
