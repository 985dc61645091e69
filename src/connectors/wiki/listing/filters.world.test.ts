import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, onBothSites, small } from '../../../../test/world/sites.ts'
import { listAll, locationsOf, pageOf } from '../../../../test/world/wiki-source.ts'
import { AppError } from '../../../errors.ts'
import { isFile } from '../document-page.ts'

const { signal } = new AbortController()

onBothSites('what is read', small, (site) => {
  const { newSpace, newPage, open, refsOf, listedIn } = site

  describe('labels', () => {
    async function labelled() {
      const space = await newSpace()
      const all = {
        kb: await newPage(space, { labels: ['kb'] }),
        both: await newPage(space, { labels: ['draft', 'kb'] }),
        draft: await newPage(space, { labels: ['draft'] }),
        runbook: await newPage(space, { labels: ['runbook', 'x'] }),
        none: await newPage(space),
      }
      return { space, all }
    }

    test('select pages with an included label and none of the excluded ones, in any case', async () => {
      const { space, all } = await labelled()
      const cases: [object, string[]][] = [
        [{ include_labels: ['KB'] }, [all.kb, all.both]],
        [{ include_labels: ['kb', 'Runbook'] }, [all.kb, all.both, all.runbook]],
        [{ exclude_labels: ['DRAFT'] }, [all.kb, all.runbook, all.none]],
        [{ include_labels: ['kb'], exclude_labels: ['draft'] }, [all.kb]],
        [{ include_labels: ['k'] }, []],
      ]
      for (const [settings, expected] of cases) {
        const ids = await listedIn(space, settings)
        // The home page has no label.
        assert.deepEqual(ids, expected, JSON.stringify(settings))
      }
    })

    test('are applied before the limit', async () => {
      const { space, all } = await labelled()
      const kept = await newPage(space, { labels: ['kb'] })
      const settings = { include_labels: ['kb'], max_num_of_docs_from_each_space: 3 }
      const whole = await listAll(open(space, settings))
      assert.deepEqual(idsOf(whole.refs), [all.kb, all.both, kept])
      assert.deepEqual(whole.warnings, [])
      assert.equal(whole.ends[0]!.upTo, undefined)
      const cut = await listAll(open(space, { ...settings, max_num_of_docs_from_each_space: 2 }))
      assert.deepEqual(idsOf(cut.refs), [all.kb, all.both])
      assert.equal(cut.ends[0]!.upTo, cut.refs.at(-1)!.position)
      assert.deepEqual(
        cut.warnings.map(({ code }) => code),
        ['documents_left_out'],
      )
    })

    test('deselect pages as soon as they change, whatever the search knows', async () => {
      const { space, all } = await labelled()
      const settings = { include_labels: ['kb'], exclude_labels: ['secret'] }
      const before = await refsOf(space, settings)
      await site.control.holdSearch()
      await site.control.labelPage(all.kb, ['kb', 'secret'])
      await site.control.labelPage(all.none, ['kb'])
      assert.deepEqual(await listedIn(space, settings), [all.both, all.none])
      const source = open(space, settings)
      const known = [all.kb, all.both].map((id) => pageOf(before, id))
      assert.deepEqual(await locationsOf(source, known), [null, space])
      assert.deepEqual(await locationsOf(open(space), known), [space, space])
    })

    test('apply to blog posts too', async () => {
      const space = await newSpace()
      const settings = { include_blog_posts: true, include_labels: ['kb'] }
      const post = await newPage(space, { kind: 'blogpost', labels: ['kb'] })
      await newPage(space, { kind: 'blogpost' })
      assert.deepEqual(await listedIn(space, settings), [post])
    })

    test('exclude the files of excluded pages', async () => {
      const { space, all } = await labelled()
      const base64 = Buffer.from('a').toString('base64')
      for (const id of Object.values(all))
        await site.control.attach(id, { title: 'a.txt', mediaType: 'text/plain', base64 })
      const settings = { include_labels: ['kb'], extract_files: true }
      const refs = await refsOf(space, settings)
      assert.deepEqual(idsOf(refs.filter(isFile)), [all.kb, all.both])
      const files = (await refsOf(space, { extract_files: true })).filter(isFile)
      assert.deepEqual(await locationsOf(open(space, settings), files), [space, space, null, null, null])
    })
  })

  describe('cql', () => {
    test('selects what the search finds in the space', async () => {
      const space = await newSpace()
      const other = await newSpace()
      await newPage(other, { labels: ['kb'] })
      const [kb, runbook] = [
        await newPage(space, { labels: ['kb'] }),
        await newPage(space, { labels: ['runbook'] }),
      ]
      const below = await newPage(space, { parentId: runbook })
      const cases: [string, string[]][] = [
        ['label = kb', [kb]],
        ['label = kb or label = runbook', [kb, runbook]],
        [`ancestor = ${runbook}`, [below]],
        ['label = nothing', []],
        [`label = kb) or (space = ${other}`, [kb]],
      ]
      for (const [cql, expected] of cases) {
        const { refs, complete, ends } = await listAll(open(space, { cql }))
        assert.deepEqual(idsOf(refs), expected, cql)
        assert.ok(refs.every(({ undecided }) => undecided === undefined))
        assert.ok(complete)
        assert.equal(ends.length, 1)
      }
    })

    test('is applied before the limit, and together with labels', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 6; at++)
        ids.push(await newPage(space, { labels: at % 2 ? ['odd', 'kb'] : ['kb'] }))
      const odd = ids.filter((_, at) => at % 2 === 1)
      const whole = await listAll(open(space, { cql: 'label = odd', max_num_of_docs_from_each_space: 3 }))
      assert.deepEqual(idsOf(whole.refs), odd)
      assert.deepEqual(whole.warnings, [])
      const cut = await listAll(open(space, { cql: 'label = odd', max_num_of_docs_from_each_space: 2 }))
      assert.deepEqual(idsOf(cut.refs), odd.slice(0, 2))
      assert.deepEqual(idsOf(await refsOf(space, { cql: 'label = kb', exclude_labels: ['odd'] })), [
        ids[0],
        ids[2],
        ids[4],
      ])
    })

    test('is read to the end if it finds more than one answer holds', async () => {
      const space = await newSpace()
      const ids: string[] = []
      for (let at = 0; at < 520; at++) ids.push(await newPage(space, { labels: at === 3 ? [] : ['kb'] }))
      const { refs } = await listAll(open(space, { cql: 'label = kb' }))
      assert.deepEqual(
        idsOf(refs),
        ids.filter((_, at) => at !== 3),
      )
    })

    test('that is wrong is one clear error, in the check too', async () => {
      const space = await newSpace()
      await newPage(space)
      for (const cql of ['label = ', 'nofield = 1', 'label = kb order by title', 'label = (']) {
        const source = open(space, { cql })
        const error = await listAll(source).catch((error: unknown) => error)
        assert.ok(error instanceof AppError, String(error))
        assert.equal(error.code, 'source_filter_wrong', cql)
        assert.ok(error.endsJob)
        assert.ok(error.fix)
        assert.ok(!error.message.includes('Could not parse'), 'nothing of what the wiki answered')
        const report = await source.check(signal)
        assert.equal(report.ok, false)
        const failed = report.steps.filter(({ status }) => status === 'failed')
        assert.deepEqual(
          failed.map(({ name, detail, fix }) => ({ name, detail, fix })),
          [{ name: 'filter pages', detail: error.message, fix: error.fix }],
        )
        assert.equal(report.reason, `${error.message}. ${error.fix}`)
      }
    })

    test('that is right is reported by the check, with its matches', async () => {
      const space = await newSpace()
      await newPage(space, { labels: ['kb'] })
      const report = await open(space, { cql: 'label = kb' }).check(signal)
      assert.equal(report.ok, true, JSON.stringify(report))
      const step = report.steps.find(({ name }) => name === 'filter pages')
      assert.match(step?.detail ?? '', /1 page/)
    })

    test('leaves pages and files undecided that the search does not know', async () => {
      const space = await newSpace()
      const [kb, edited] = [
        await newPage(space, { labels: ['kb'] }),
        await newPage(space, { labels: ['kb'] }),
      ]
      const out = await newPage(space)
      await site.control.holdSearch()
      const fresh = await newPage(space, { labels: ['kb'] })
      await site.control.attach(fresh, { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' })
      await site.control.editPage(edited, { body: '<p>new</p>' })
      const { refs } = await listAll(open(space, { cql: 'label = kb', extract_files: true }))
      const listedRefs = refs.map((ref) => [ref.locator.page_id, isFile(ref), ref.undecided])
      assert.deepEqual(listedRefs, [
        [kb, false, undefined],
        [edited, false, true],
        [fresh, false, true],
        [fresh, true, true],
      ])
      assert.ok(!idsOf(refs).includes(out))
      await site.control.releaseSearch()
      const known = (await listAll(open(space, { cql: 'label = kb', extract_files: true }))).refs
      assert.deepEqual(
        known.map((ref) => [ref.locator.page_id, ref.undecided]),
        [kb, edited, fresh, fresh].map((id) => [id, undefined]),
      )
    })

    test('deselects what it no longer finds, but nothing unknown to the search', async () => {
      const space = await newSpace()
      const labels = ['kb']
      const ids = [
        await newPage(space, { labels }),
        await newPage(space, { labels }),
        await newPage(space, { labels }),
      ]
      const settings = { cql: 'label = kb', extract_files: true }
      const files: string[] = []
      for (const id of ids)
        files.push(await site.control.attach(id, { title: 'a.txt', mediaType: 'text/plain', base64: 'YQ==' }))
      const refs = await refsOf(space, settings)
      assert.equal(refs.length, 6)
      await site.control.labelPage(ids[0]!, [])
      await site.control.holdSearch()
      await site.control.labelPage(ids[1]!, [])
      const source = open(space, settings)
      const places = await locationsOf(source, refs)
      const expected = [null, 'unknown', space].flatMap((place) => [place, place])
      assert.deepEqual(places, expected)
    })
  })
})
