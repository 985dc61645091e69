import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Planted, type PlantedPage, plantWords } from '../oracle/planted-wiki.ts'
import { type Flow, type JobResult, makeFlow, run } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'

/** Pages that quote each other, run by a job and searched as people through the API. */
describe('a document holds its own text only', () => {
  let world: World
  let flow: Flow
  let planted: Planted
  let first: JobResult
  before(async () => {
    world = await openWorld({
      wiki: { seed: 5, spaces: 2, pages: 8, people: 20, groups: 5 },
      env: { MILLRACE_RATE_LIMIT: '100000' },
    })
    planted = await plantWords(world.wiki, { seed: 5, pages: 25 })
    flow = await makeFlow(world, { source: { spaces: planted.spaces, include_comments: true } })
    first = await run(world, flow)
  })
  after(() => world.close())

  async function pagesWith(word: string, user: string): Promise<string[]> {
    const path = `/destinations/${flow.destinationId}/search`
    const answer = await world.api.post<{ hits: { record_id: string; text: string }[] }>(path, {
      query: word,
      as: { user },
      size: 100,
    })
    assert.equal(answer.status, 200, answer.text)
    const hits = answer.body.hits.filter(({ text }) => text.includes(word))
    return [...new Set(hits.map(({ record_id: id }) => id.slice(id.lastIndexOf('/') + 1)))]
  }

  async function unexpectedHits(pages: PlantedPage[]): Promise<string[]> {
    await world.destination.refresh()
    const readers = await world.wiki.control.readers('cloud')
    const { people } = await world.wiki.control.truth()
    const wrong: string[] = []
    for (const { id, words } of pages)
      for (const { accountId } of people.slice(0, 8)) {
        const expected = readers[id]?.includes(accountId) ? [id] : []
        for (const word of words.slice(0, 2)) {
          const found = await pagesWith(word, accountId)
          if (found.join() !== expected.join()) wrong.push(`${accountId} ${word} of ${id}: ${found.join()}`)
        }
      }
    return wrong
  }

  test('it shows a word to the readers of its page, and in that page alone', async () => {
    assert.equal(first.details.processing_status, 'SUCCESS', JSON.stringify(first.details))
    assert.deepEqual(await unexpectedHits(planted.pages), [])
  })

  test('it names the macros whose content it leaves out, in the job and on the document', async () => {
    const warning = first.details.warnings.find(({ code }) => code === 'macros_dropped')
    assert.match(warning?.message ?? '', /include/)
    assert.ok((warning?.documents ?? 0) > 5, JSON.stringify(warning))
    const path = `/jobs/${first.id}/documents?limit=100`
    const { items } = (await world.api.get<{ items: { warnings?: { code: string }[] }[] }>(path)).body
    const named = items.filter(({ warnings = [] }) => warnings.some(({ code }) => code === 'macros_dropped'))
    assert.equal(named.length, warning?.documents)
  })

  test('it removes a word that left a quoted page everywhere', async () => {
    const [page] = planted.pages
    assert.ok(page)
    const { people } = await world.wiki.control.truth()
    await world.wiki.control.editPage(page.id, { body: '<p>rewritten</p>' })
    await run(world, flow)
    await world.destination.refresh()
    const [word = ''] = page.words
    const found = await Promise.all(people.map(({ accountId }) => pagesWith(word, accountId)))
    assert.deepEqual(found.flat(), [])
  })
})
