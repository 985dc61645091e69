import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { contents, type Indexed } from '../world/agreement.ts'
import { type Details, type Flow, run, until } from '../world/flow.ts'
import { assertSuccess, type OpenSpace, openSpace } from '../world/open-space.ts'
import { type World, wikiConfig } from '../world/world.ts'

/** Options of a source: what it reads besides the current pages of its spaces, and what it leaves out. */
describe('options of a source', () => {
  let world: World
  let flow: Flow
  let ann: string
  let setSource: OpenSpace['setSource']
  const ids: Record<string, string> = {}

  before(async () => {
    ;({ world, flow, ann, setSource } = await openSpace(33, scope))
    const { control } = world.wiki
    const made = [
      { title: 'Runbook', labels: ['kb', 'runbook'] },
      { title: 'Old runbook', labels: ['kb', 'obsolete'] },
      { title: 'Lunch', body: '<p>What there is for lunch.</p>' },
      { title: 'News', kind: 'blogpost' as const },
      { title: 'Put away', status: 'archived' as const },
      { title: 'Thrown away', status: 'trashed' as const },
      { title: 'Not done', status: 'draft' as const },
    ]
    for (const each of made) ids[each.title] = await control.createPage({ space: 'OPN', ...each })
  })
  after(() => world.close())

  /** Each starts from the defaults. */
  const testFromDefaults = (name: string, work: () => Promise<void>) =>
    test(name, async () => {
      await setSource({})
      await runToSuccess()
      assert.deepEqual(await titles(), ['Lunch', 'Old runbook', 'Open Home', 'Runbook'])
      await work()
    })

  testFromDefaults(
    'it reads blog posts with their permissions, and removes them when the option is off',
    async () => {
      await setSource({ include_blog_posts: true })
      assert.equal((await runToSuccess()).counts.new, 1)
      const [post] = await elementsOf('News')
      const about = post?._source.metadata.data_source
      assert.deepEqual(about?.record_locator, {
        space_key: 'OPN',
        page_id: ids.News,
        content_type: 'blogpost',
      })
      assert.deepEqual(about?.access, {
        c0: [`class:${new URL(world.wiki.siteUrl).host}/all-licensed-users`],
      })
      await world.wiki.control.restrict(ids.News ?? '', { read: { users: [ann] } })
      assert.equal((await runToSuccess()).counts.permissions_only, 1)
      assert.deepEqual((await elementsOf('News'))[0]?._source.metadata.data_source.access.c1, [`user:${ann}`])
      await world.wiki.control.editPage(ids.News ?? '', { body: '<p>Fresh news.</p>' })
      assert.equal((await runToSuccess()).counts.changed, 1)
      assert.match(await textOf('News'), /Fresh news/)
      await setSource({})
      assert.equal((await runToSuccess()).counts.removed, 1)
    },
  )

  testFromDefaults('it adds open comments to their page in the next run', async () => {
    const { control } = world.wiki
    const page = ids.Lunch ?? ''
    await setSource({ include_comments: true })
    assert.equal((await runToSuccess()).counts.changed, 4, 'a changed option reprocesses all pages')
    assert.doesNotMatch(await textOf('Lunch'), /soup/)

    const below = await control.addComment(page, { body: '<p>The soup was cold.</p>' })
    assert.deepEqual(changes(await runToSuccess()), { changed: 1, unchanged: 3 })
    assert.match(await textOf('Lunch'), /The soup was cold/)
    const reply = await control.addComment(page, { body: '<p>Mine was hot.</p>', parentId: below })
    const inside = await control.addComment(page, {
      body: '<p>At noon?</p>',
      location: 'inline',
      selection: 'for lunch',
    })
    assert.deepEqual(changes(await runToSuccess()), { changed: 1, unchanged: 3 })
    assert.match(await textOf('Lunch'), /cold[\s\S]*Mine was hot[\s\S]*on “for lunch”[\s\S]*At noon/)

    await control.editComment(reply, { body: '<p>Mine was lukewarm.</p>' })
    await control.resolveComment(inside)
    assert.deepEqual(changes(await runToSuccess()), { changed: 1, unchanged: 3 })
    assert.match(await textOf('Lunch'), /lukewarm/)
    assert.doesNotMatch(await textOf('Lunch'), /Mine was hot|At noon/)

    await control.deleteComment(reply)
    await control.deleteComment(below)
    assert.deepEqual(changes(await runToSuccess()), { changed: 1, unchanged: 3 })
    assert.doesNotMatch(await textOf('Lunch'), /soup|lukewarm/)
    assert.deepEqual(changes(await runToSuccess()), { changed: 0, unchanged: 4 })
  })

  testFromDefaults('it filters pages by included and excluded labels', async () => {
    const { control } = world.wiki
    await setSource({ include_labels: ['KB'], exclude_labels: ['obsolete'] })
    await runToSuccess()
    assert.deepEqual(await titles(), ['Runbook'])
    await control.labelPage(ids.Lunch ?? '', ['kb'])
    await control.labelPage(ids['Old runbook'] ?? '', ['kb'])
    await runToSuccess()
    assert.deepEqual(await titles(), ['Lunch', 'Old runbook', 'Runbook'])
    await control.labelPage(ids.Lunch ?? '', [])
    await control.labelPage(ids['Old runbook'] ?? '', ['kb', 'obsolete'])
    assert.equal((await runToSuccess()).counts.removed, 2)
    assert.deepEqual(await titles(), ['Runbook'])
  })

  testFromDefaults(
    'it reads archived pages with or without current ones, and never drafts or trash',
    async () => {
      await setSource({ statuses: ['current', 'archived'] })
      assert.equal((await runToSuccess()).counts.new, 1)
      assert.deepEqual(await titles(), ['Lunch', 'Old runbook', 'Open Home', 'Put away', 'Runbook'])
      await setSource({ statuses: ['archived'] })
      assert.equal((await runToSuccess()).counts.removed, 4)
      assert.deepEqual(await titles(), ['Put away'])
    },
  )

  testFromDefaults('it filters pages by CQL, and keeps permissions while the search lags', async () => {
    const { control } = world.wiki
    await setSource({ cql: 'label = kb and title ~ "runbook"' })
    await runToSuccess()
    assert.deepEqual(await titles(), ['Old runbook', 'Runbook'])
    await control.holdSearch()
    const late = await control.createPage({ space: 'OPN', title: 'Late runbook', labels: ['kb'] })
    await control.restrict(ids.Runbook ?? '', { read: { users: [ann] } })
    assert.equal((await runToSuccess()).counts.permissions_only, 1)
    assert.deepEqual(await titles(), ['Old runbook', 'Runbook'])
    assert.deepEqual((await elementsOf('Runbook'))[0]?._source.metadata.data_source.access.c1, [
      `user:${ann}`,
    ])
    await control.releaseSearch()
    assert.equal((await runToSuccess()).counts.new, 1)
    assert.deepEqual(await titles(), ['Late runbook', 'Old runbook', 'Runbook'])
    await control.trashPage(late)
    await control.restrict(ids.Runbook ?? '', { read: {} })
    assert.equal((await runToSuccess()).counts.removed, 1)
  })

  testFromDefaults('it fails the check and the job for an invalid CQL', async () => {
    await setSource({ cql: 'label == kb' })
    const path = `/sources/${flow.sourceId}/connection-check`
    assert.equal((await world.api.post(path)).status, 202)
    const checked = await until(
      async () => (await world.api.get<Checked>(path)).body,
      ({ status }) => status !== 'SCHEDULED',
    )
    assert.equal(checked.status, 'FAILURE')
    assert.match(checked.reason ?? '', /cql/)
    assert.deepEqual(
      checked.steps.filter(({ status }) => status === 'failed').map(({ name }) => name),
      ['filter pages'],
    )
    const before = await contents(world)
    const ended = await run(world, flow)
    assert.equal(ended.status, 'FAILED')
    assert.match(ended.details.message ?? '', /cql/)
    assert.equal(ended.details.counts.removed, 0)
    assert.deepEqual(await contents(world), before)
  })

  const wrong: [field: string, config: Record<string, unknown>][] = [
    ['include_blog_posts', { include_blog_posts: 'yes' }],
    ['include_comments', { include_comments: 1 }],
    ['extract_files', { extract_files: 'true' }],
    ['extract_images', { extract_images: 'sometimes' }],
    ['statuses', { statuses: ['trashed'] }],
    ['statuses', { statuses: 'archived' }],
    ['include_labels', { include_labels: 'kb' }],
    ['exclude_labels', { exclude_labels: [7] }],
    ['cql', { cql: 'a'.repeat(2001) }],
    ['cql', { cql: ['label = kb'] }],
    ['cql', { cql: 'label = kb', statuses: ['current', 'archived'] }],
    ['include_label', { include_label: ['kb'] }],
  ]
  for (const [field, config] of wrong)
    test(`it refuses ${JSON.stringify(config).slice(0, 60)} with its field, on create and update`, async () => {
      const name = `wrong ${JSON.stringify(config).slice(0, 60)}`
      const whole = wikiConfig(world, { ...scope, ...config })
      for (const answer of [
        await world.api.post<Refusal>('/sources', { name, type: 'wiki', config: whole }),
        await world.api.put<Refusal>(`/sources/${flow.sourceId}`, { config: whole }),
      ]) {
        assert.equal(answer.status, 422, answer.text)
        assert.equal(answer.body.detail.length, 1, answer.text)
        assert.deepEqual(answer.body.detail[0]?.loc.slice(0, 3), ['body', 'config', field])
      }
    })

  const runToSuccess = async (): Promise<Details> => (await assertSuccess(run(world, flow))).details

  const titles = async () =>
    [...new Set((await contents(world)).map(({ _source }) => _source.metadata.data_source.title))].toSorted()

  const elementsOf = async (title: string): Promise<Indexed[]> =>
    (await contents(world)).filter(({ _source }) => _source.metadata.data_source.title === title)

  const textOf = async (title: string) =>
    (await elementsOf(title)).map(({ _source }) => _source.text).join('\n')
})

type Refusal = { detail: { loc: string[]; msg: string }[] }
type Checked = { status: string; reason: string | null; steps: { name: string; status: string }[] }

const scope = { spaces: ['OPN'] }
const changes = ({ counts: { changed, unchanged } }: Details) => ({ changed, unchanged })
