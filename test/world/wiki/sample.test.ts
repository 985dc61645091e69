import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { people, personas } from '../sample/people.ts'
import { cqlPath, requestCloud } from './ask.ts'
import { startWiki, type Wiki } from './start.ts'

describe('the sample wiki of the demo', () => {
  let wiki: Wiki
  let truth: Awaited<ReturnType<Wiki['control']['truth']>>
  let readers: Record<string, string[]>

  before(async () => {
    wiki = await startWiki({ sample: 'demo' })
    truth = await wiki.control.truth()
    readers = await wiki.control.readers()
  })
  after(() => wiki.stop())

  const readersOf = (title: string): string[] => {
    const page = truth.pages.find((each) => each.title === title)
    assert.ok(page, `there is a page called ${title}`)
    const ids = Object.values(people).map(({ accountId }) => accountId)
    return (readers[page.id] ?? []).filter((id) => ids.includes(id))
  }
  const only = (...names: (keyof typeof people)[]) => names.map((name) => people[name].accountId)

  test('it has about 200 pages in four spaces, each title once', () => {
    assert.ok(truth.pages.length >= 190 && truth.pages.length <= 215)
    assert.deepEqual(
      truth.spaces.map(({ key }) => key),
      ['ENG', 'PPL', 'FIN', 'HB'],
    )
    assert.equal(new Set(truth.pages.map(({ title }) => title)).size, truth.pages.length)
    assert.equal(truth.pages.filter(({ status }) => status === 'archived').length, 1)
    assert.equal(truth.attachments.filter(({ broken }) => broken === 'corrupt').length, 1)
  })

  test('it shows each persona the expected pages and hides the rest', () => {
    for (const { person, sees, doesNotSee } of Object.values(personas)) {
      for (const title of sees)
        assert.ok(readersOf(title).includes(person.accountId), `${person.name} sees ${title}`)
      for (const title of doesNotSee)
        assert.ok(!readersOf(title).includes(person.accountId), `${person.name} must not see ${title}`)
    }
  })

  test('it restricts pages by page, ancestor, both and space', () => {
    assert.deepEqual(readersOf('Salary bands 2026'), only('priya'))
    assert.deepEqual(readersOf('How pay works at Fernhill').length, 6)
    assert.deepEqual(readersOf('Heron: due diligence findings'), only('amara', 'priya'))
    assert.deepEqual(readersOf('Heron: retention packages'), only('priya'))
    assert.deepEqual(readersOf('Postmortem: invoices sent twice (2 July 2025)'), only('tomas', 'lena'))
    assert.deepEqual(readersOf('Postmortem: device keys in a public bucket (9 October 2025)'), only('tomas'))
    assert.deepEqual(readersOf('Month-end close in five days'), only('amara', 'priya', 'daniel'))
    assert.deepEqual(readersOf('Payroll run: who earns what'), only('priya', 'daniel'))
  })

  test('it contains pages for each search of a persona, visible and hidden ones', async () => {
    const get = requestCloud(wiki.cloudUrl)
    for (const { person, searches } of Object.values(personas)) {
      for (const { query, finds, mustNotFind } of searches) {
        const words = query
          .split(' ')
          .slice(0, 2)
          .map((word) => `text ~ "${word}"`)
          .join(' and ')
        const found: string[] = (await get(cqlPath(`type=page and ${words}`, '&limit=250'))).json.results.map(
          ({ title }: { title: string }) => title,
        )
        const shown = found.filter((title) => readersOf(title).includes(person.accountId))
        for (const title of finds)
          assert.ok(shown.includes(title), `${person.name} finds ${title} with ${query}`)
        for (const title of mustNotFind) assert.ok(!shown.includes(title))
      }
    }
  })

  test('it resolves every group and account id', () => {
    const known = new Set([
      ...truth.people.map(({ accountId }) => accountId),
      ...truth.groups.map(({ id }) => id),
    ])
    for (const { restrictions } of truth.pages) {
      for (const id of [...restrictions.read.users, ...restrictions.read.groups]) assert.ok(known.has(id), id)
    }
  })

  test('it stores real macros, and shows an excerpt of a restricted page only to its readers', async () => {
    const page = (title: string) => truth.pages.find((each) => each.title === title)?.id ?? ''
    const pay = page('How pay works at Fernhill')
    const { storage } = await wiki.control.body(pay)
    assert.match(storage, /ac:name="excerpt-include".*ri:content-title="Salary bands 2026"/)
    const seen = async (id: string, name: keyof typeof people) =>
      (await wiki.control.view(id, people[name].accountId)) ?? ''
    assert.match(await seen(pay, 'priya'), /Midpoints from April 2026/)
    assert.doesNotMatch(await seen(pay, 'lena'), /Midpoints from April 2026|Salary bands 2026/)
    assert.match(await seen(pay, 'lena'), /The included page could not be found/)
    const below = page('Compensation')
    assert.match(await seen(below, 'priya'), />Salary bands 2026</)
    assert.doesNotMatch(await seen(below, 'lena'), /Salary bands 2026/)
    assert.match(await seen(below, 'lena'), />How pay works at Fernhill</)
  })

  test('it shows the original of a page to a browser', async () => {
    const page = truth.pages.find(({ title }) => title === 'Salary bands 2026')
    const original = await fetch(`${wiki.cloudUrl}/spaces/PPL/pages/${page?.id}/Salary+bands+2026`)
    assert.deepEqual(
      [original.status, original.headers.get('content-type')],
      [200, 'text/html; charset=utf-8'],
    )
    assert.match(await original.text(), /<h1>Salary bands 2026<\/h1>.*Midpoints from April 2026/s)
    assert.equal((await fetch(`${wiki.cloudUrl}/spaces/PPL/pages/1`)).status, 401)
  })

  test('it stores nothing that an XML parser would refuse', async () => {
    const names = new Set<string>()
    for (const { id } of truth.pages) {
      const { storage } = await wiki.control.body(id)
      for (const [, name = ''] of storage.matchAll(/ac:name="([^"]*)"/g)) names.add(name)
      const open: string[] = []
      for (const [, end, tag, self] of storage
        .replaceAll(/<!\[CDATA\[[\s\S]*?\]\]>/g, '')
        .matchAll(/<(\/?)([\w:-]+)[^>]*?(\/?)>/g)) {
        if (end === '/') assert.equal(open.pop(), tag, id)
        else if (self !== '/') open.push(tag ?? '')
      }
      assert.deepEqual(open, [], id)
      assert.doesNotMatch(storage, /&(?!#?\w+;)/)
    }
    for (const name of ['info', 'code', 'status', 'expand', 'excerpt', 'excerpt-include', 'children', 'toc'])
      assert.ok(names.has(name), name)
  })
})
