import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { packArchive } from '../../src/pipeline/partition/files/archive.ts'
import { contents, type Indexed } from '../world/agreement.ts'
import {
  detailsOf,
  type Flow,
  finish,
  type JobResult,
  makeFlow,
  run,
  startRun,
  until,
} from '../world/flow.ts'
import { assertSuccess, type OpenSpace, openSpace } from '../world/open-space.ts'
import { textFile } from '../world/parts.ts'
import { anotherDestination } from '../world/second-destination.ts'
import { onlyFor } from '../world/small-world.ts'
import type { World } from '../world/world.ts'

/** Attached files are documents of their own, with the permissions and lifetime of their page. */
describe('files of pages', () => {
  let world: World
  let flow: Flow
  let ann: string
  let ben: string
  let setSource: OpenSpace['setSource']
  let page: string
  let secretHome: string
  let skippedFirst: Record<string, string>
  const files = { notes: '', table: '', path: '', film: '', huge: '', hugeFilm: '' }

  before(async () => {
    ;({ world, flow, ann, ben, setSource } = await openSpace(31, scope))
    const { control } = world.wiki
    secretHome = (await control.addSpace({ key: 'SEC', name: 'Secret', permissions: onlyFor(ann) }))
      .homepageId
    page = await control.createPage({ space: 'OPN', title: 'Holder', body: '<p>It holds files.</p>' })
    files.notes = await attachText('notes.txt', 'A zebrafish was seen.')
    files.table = await attachText('table.csv', 'name,weight\nquokka,4', 'text/csv')
    files.path = await attachText('../../etc/passwd', 'An axolotl came along.')
    // Named and declared as text; the content is another type.
    files.film = await control.attach(page, { title: 'film.txt', mediaType: 'text/plain', base64: FILM })
    const size = 2_000_000_000
    files.huge = await control.attachHuge(page, { title: 'huge.txt', mediaType: 'text/plain', size })
    files.hugeFilm = await control.attachHuge(page, { title: 'huge.mp4', mediaType: 'video/mp4', size })
  })
  after(() => world.close())

  test('it writes text with permissions, position and name, and skips unreadable files with a reason', async () => {
    const ended = await assertSuccess(run(world, flow))
    const { counts } = ended.details
    assert.deepEqual([counts.new, counts.skipped, counts.failed, counts.discovered], [6, 3, 0, 9])

    const holder = (await elementsOf(page))[0]?._source.metadata.data_source
    for (const [id, name, type, says] of [
      [files.notes, 'notes.txt', 'text/plain', /zebrafish/],
      [files.table, 'table.csv', 'text/csv', /quokka/],
      [files.path, 'passwd', 'text/plain', /axolotl/],
    ] as const) {
      const elements = await elementsOf(id)
      assert.ok(elements.length > 0, name)
      assert.match(elements.map((element) => element._source.text).join(' '), says)
      for (const { _source } of elements) {
        const { filename, filetype, data_source: about } = _source.metadata
        assert.deepEqual([filename, filetype], [name, type])
        assert.deepEqual(about.permissions_data, holder?.permissions_data)
        assert.deepEqual(about.access, holder?.access)
        const { url, record_locator: locator } = about
        const record_id = `${new URL(world.wiki.siteUrl).host}/${id}`
        assert.equal(_source.record_id, record_id)
        const place = { space_key: 'OPN', page_id: page, attachment_id: id }
        assert.deepEqual(locator, { ...place, record_id, url })
        assert.ok(url.startsWith(`${world.wiki.cloudUrl}/`) && url !== holder?.url, url)
      }
    }
    skippedFirst = await skippedOf(ended)
    const { [files.hugeFilm]: hugeFilm, ...skipped } = skippedFirst
    assert.deepEqual(skipped, {
      [files.film]:
        'document_unsupported: reading film.txt: files of type video/mp4 are not supported. Sound is not transcribed. ' +
        'Attach its captions as a VTT or SRT file next to it: captions are read',
      [files.huge]: 'file_too_large: reading huge.txt: it is larger than 100 MB, the maximum',
    })
    assert.match(hugeFilm ?? '', /^(document_unsupported|file_too_large): /)
    const sent = (await world.wiki.control.counts()).sites.media.bytesOut
    assert.ok(sent < 20_000_000, `${sent} bytes left the wiki for two files of 2 GB`)
  })

  test('it fetches no file in a second run and keeps the reasons of skipped ones', async () => {
    const before = await contents(world)
    const ended = await assertSuccess(untouched(() => run(world, flow)))
    const { counts } = ended.details
    assert.deepEqual([counts.unchanged, counts.skipped, counts.discovered], [6, 3, 9])
    assert.deepEqual(await skippedOf(ended), skippedFirst)
    assert.deepEqual(await contents(world), before)
  })

  test('it applies a restriction of the page to its files without fetching them', async () => {
    assert.deepEqual([await finds(ann), await finds(ben)], [true, true])
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    const ended = await assertSuccess(untouched(() => run(world, flow)))
    assert.equal(ended.details.counts.permissions_only, 4)
    assert.deepEqual([await finds(ann), await finds(ben)], [true, false])
    const access = (elements: Indexed[]) => elements.map((each) => each._source.metadata.data_source.access)
    assert.deepEqual(access(await elementsOf(files.notes)), access(await elementsOf(page)))
    await world.wiki.control.restrict(page, { read: {} })
    await assertSuccess(untouched(() => run(world, flow)))
    assert.equal(await finds(ben), true)
  })

  test('it removes a file that becomes unreadable and restores it as text', async () => {
    const { control } = world.wiki
    await control.updateAttachment(files.notes, { base64: FILM })
    const gone = await assertSuccess(run(world, flow))
    assert.deepEqual(await elementsOf(files.notes), [])
    assert.equal(gone.details.counts.skipped, 4)
    assert.match((await skippedOf(gone))[files.notes] ?? '', /video\/mp4/)
    await control.updateAttachment(files.notes, { base64: base64('The zebrafish is back.') })
    await assertSuccess(run(world, flow))
    assert.match((await elementsOf(files.notes))[0]?._source.text ?? '', /is back/)
  })

  test('it keeps the old text of a file that cannot be fetched, with current permissions', async () => {
    const { control } = world.wiki
    await control.updateAttachment(files.notes, { base64: base64('The zebrafish grew.') })
    await control.restrict(page, { read: { users: [ann] } })
    await control.fail({ site: 'media', status: 500, times: null })
    const failed = await run(world, flow)
    await control.clearFaults()
    assert.equal(failed.details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.deepEqual([failed.details.counts.failed, failed.details.counts.permissions_only], [1, 3])
    assert.match((await elementsOf(files.notes))[0]?._source.text ?? '', /is back/)
    assert.deepEqual([await finds(ann), await finds(ben)], [true, false])
    await control.restrict(page, { read: {} })
    await assertSuccess(run(world, flow))
    assert.match((await elementsOf(files.notes))[0]?._source.text ?? '', /grew/)
  })

  test('it gives a moved file the permissions of its new page and removes a deleted one', async () => {
    await world.wiki.control.moveAttachment(files.notes, secretHome)
    await world.wiki.control.removeAttachment(files.table)
    const { details } = await assertSuccess(run(world, flow))
    assert.equal(details.counts.removed, 1)
    assert.deepEqual(await elementsOf(files.table), [])
    const [element] = await elementsOf(files.notes)
    const about = element?._source.metadata.data_source
    assert.deepEqual([about?.record_locator.page_id, about?.record_locator.space_key], [secretHome, 'SEC'])
    assert.deepEqual(about?.access, { c0: [`user:${ann}`] })
    assert.deepEqual([await finds(ann), await finds(ben)], [true, false])
  })

  test('it removes the files of a trashed page and restores them with it', async () => {
    await world.wiki.control.trashPage(page)
    const { details } = await assertSuccess(run(world, flow))
    assert.equal(details.counts.removed, 2, 'the page and the one file of it in the index')
    assert.deepEqual([await elementsOf(page), await elementsOf(files.path)], [[], []])
    await world.wiki.control.restorePage(page)
    assert.equal((await assertSuccess(run(world, flow))).details.counts.new, 2)
    assert.equal((await elementsOf(files.path)).length, 1)
  })

  test('it removes files that are no longer selected, above the guard only after approval', async () => {
    await setSource({ extract_files: false })
    assert.equal((await assertSuccess(run(world, flow))).details.counts.removed, 2)
    await setSource({})
    for (let index = 0; index < 24; index++) await attachText(`more ${index}.txt`, `Number ${index}.`)
    assert.equal((await assertSuccess(run(world, flow))).details.counts.new, 26)
    await setSource({ extract_files: false })
    const texts = async () => (await contents(world)).map(({ _id, _source }) => [_id, _source.text])
    const before = await texts()
    const held = await run(world, flow)
    assert.equal(held.details.processing_status, 'COMPLETED_WITH_ERRORS')
    assert.match(held.details.message ?? '', /26 documents/)
    assert.deepEqual(await texts(), before)
    const shown = (await contents(world)).filter(({ _source: { metadata } }) =>
      metadata.data_source.access.c0?.some((token) => /^(user|group|class):/.test(token)),
    )
    assert.equal(shown.length, 3, 'held-back files are hidden')
    const approved = await world.api.post<{ removed: number }>(`/jobs/${held.id}/approve-deletions`)
    assert.deepEqual([approved.status, approved.body], [202, { removed: 26 }], approved.text)
    const left = await contents(world)
    assert.equal(left.length, 3)
    assert.ok(left.every(({ _source }) => _source.metadata.filetype === 'text/html'))
    await setSource({})
  })

  test('it equals a fresh run after kill -9 and a restart', async () => {
    // More than one slice, and the last one waits for its last file.
    for (let index = 0; index < 50; index++) await attachText(`slow ${index}.txt`, `Slow number ${index}.`)
    await world.wiki.control.fail({ site: 'media', path: 'slow\\+49', isHeld: true, times: null })
    const job = await startRun(world, flow)
    const { counts } = await until(
      () => detailsOf(world, job),
      (details) => details.counts.new > 0,
      120,
    )
    assert.ok(counts.new < 76)
    await world.kill()
    await world.wiki.control.clearFaults()
    await world.restart()
    await assertSuccess(finish(world, job, 200))
    const kept = withoutTimes(await contents(world))
    assert.equal(new Set(kept.map(({ record_id }) => record_id)).size, 79)

    const first = world.destination
    world.destination = await anotherDestination(world, 'fresh')
    try {
      await assertSuccess(run(world, await makeFlow(world, { source: scope, suffix: ' fresh' })))
      assert.deepEqual(withoutTimes(await contents(world)), kept)
    } finally {
      world.destination = first
    }
  })

  test('it reads every format with types, pages and tables, and fails only a memory bomb', async () => {
    const home = await world.wiki.control.createPage({
      space: 'OPN',
      title: 'Office',
      body: '<p>Papers.</p>',
    })
    const papers =
      'handbook.docx handbook.pdf handbook.odt handbook.rtf talk.pptx stock.xlsx stock.csv notes.md letter.eml scan.pdf'
    const ids: Record<string, string> = {}
    for (const title of [...papers.split(' '), 'bomb.docx', 'all.zip']) {
      const bytes =
        title === 'bomb.docx'
          ? bomb()
          : title === 'all.zip'
            ? packArchive(new Map([['film.mp4', Buffer.from(FILM, 'base64')]]))
            : await fixture(title)
      ids[title] = await world.wiki.control.attach(home, {
        title,
        mediaType: 'application/octet-stream',
        base64: bytes.toString('base64'),
      })
    }
    const ended = await run(world, flow)
    const { counts, processing_status, warnings } = ended.details
    assert.equal(processing_status, 'COMPLETED_WITH_ERRORS')
    assert.deepEqual([counts.new, counts.failed], [11, 1])
    const { body } = await world.api.get<{ failed_files: { document: string; error: string }[] }>(
      `/jobs/${ended.id}/failed-files`,
    )
    assert.equal(body.failed_files.length, 1)
    assert.match(body.failed_files[0]!.error, /reading bomb\.docx: it expands to 250 MB/)
    assert.match(
      (await skippedOf(ended))[ids['all.zip']!] ?? '',
      /document_unsupported: .*none of its files .*video\/mp4/,
    )
    assert.ok(
      warnings.some(({ code, message }) => code === 'attachments_left' && message.includes('plan.pdf')),
    )

    const found = async (title: string) => (await elementsOf(ids[title]!)).map(({ _source }) => _source)
    for (const [title, says, pages] of [
      ['handbook.docx', 'Nobody goes onto the weir', [1, 2]],
      ['handbook.pdf', 'Nobody goes onto the weir', [1, 2]],
      ['talk.pptx', 'Ask the miller first', [1, 2]],
      ['stock.xlsx', '2026-03-05', [1, 2]],
      ['scan.pdf', 'Above the highest level', [1, 2]],
      ['handbook.odt', 'Nobody goes onto the weir', []],
      ['handbook.rtf', 'Nobody goes onto the weir', []],
      ['stock.csv', '2026-03-05', []],
      ['notes.md', 'Two boards', []],
      ['letter.eml', 'Ida Reed', []],
    ] as const) {
      const elements = await found(title)
      assert.ok(
        elements.some(({ text }) => text.includes(says)),
        title,
      )
      const numbers = new Set(elements.flatMap(({ metadata }) => metadata.page_number ?? []))
      assert.deepEqual([...numbers].sort(), pages, title)
      const tables = elements.filter(({ type }) => type === 'Table')
      assert.ok(tables.length > 0, title)
      assert.ok(
        tables.every(({ metadata }) => String(metadata.text_as_html).startsWith('<table>')),
        title,
      )
    }
  })

  test('it finds each file of a restricted archive on its own, until the archive is removed', async () => {
    const { control } = world.wiki
    const home = await control.createPage({ space: 'OPN', title: 'Vault', body: '<p>Closed.</p>' })
    await control.restrict(home, { read: { users: [ann] } })
    const files: [string, string][] = [
      ['plans/weir.txt', 'The wolpertinger guards the weir.'],
      ['plans/2026/sluice.md', '# Sluice\n\nThe wolpertinger sleeps here.'],
      ['film.mp4', Buffer.from(FILM, 'base64').toString('latin1')],
    ]
    const bytes = packArchive(new Map(files.map(([name, text]) => [name, Buffer.from(text, 'latin1')])))
    const mediaType = 'application/zip'
    const id = await control.attach(home, {
      ...{ title: 'vault.zip', mediaType, base64: bytes.toString('base64') },
    })
    const ended = await run(world, flow)
    assert.ok(
      ended.details.warnings.some(
        ({ code, message }) => code === 'archive_files_left' && message.includes('film.mp4'),
      ),
      JSON.stringify(ended.details.warnings),
    )

    type Found = {
      hits: { record_id: string; title: string; path_in_archive: string | null; filetype: string }[]
      facets?: { filetype: { value: string; count: number }[] }
    }
    await world.destination.refresh()
    const path = `/destinations/${flow.destinationId}`
    const search = async (user: string, more: object = {}) => {
      const body = { query: 'wolpertinger', as: { user }, ...more }
      const answer = await world.api.post<Found>(`${path}/search`, body)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    }
    const mine = ({ hits }: Found) => hits.filter(({ record_id: each }) => each.endsWith(`/${id}`))
    const expected = [
      ['vault.zip', 'plans/2026/sluice.md', 'text/markdown'],
      ['vault.zip', 'plans/weir.txt', 'text/plain'],
    ]
    for (const more of [{}, { group_by: 'document' }]) {
      const found = mine(await search(ann, more))
      assert.deepEqual(
        found.map(({ title, path_in_archive: file, filetype }) => [title, file, filetype]).toSorted(),
        expected,
        JSON.stringify(more),
      )
      assert.deepEqual(mine(await search(ben, more)), [])
    }
    const { facets } = await search(ann, {
      facets: ['filetype'],
      filters: { path_in_archive: 'plans/weir.txt' },
    })
    assert.deepEqual(facets?.filetype, [{ value: 'text/plain', count: 1 }])

    const [element] = await elementsOf(id)
    const address = `${path}/documents/${element?._source.record_id}`
    type Read = { path_in_archive: string; elements: { text: string; path_in_archive: string }[] }
    const one = await world.api.get<Read>(`${address}?user=${ann}&path_in_archive=plans/weir.txt`)
    assert.deepEqual(
      [one.body.path_in_archive, one.body.elements.map(({ text }) => text)],
      ['plans/weir.txt', ['The wolpertinger guards the weir.']],
    )
    const whole = await world.api.get<Read>(`${address}?user=${ann}`)
    assert.deepEqual(
      [...new Set(whole.body.elements.map((each) => each.path_in_archive))],
      ['plans/weir.txt', 'plans/2026/sluice.md'],
    )
    for (const query of ['', '&path_in_archive=plans/weir.txt'])
      assert.equal((await world.api.get(`${address}?user=${ben}${query}`)).status, 404)

    await control.removeAttachment(id)
    await run(world, flow)
    assert.deepEqual([await elementsOf(id), mine(await search(ann))], [[], []])
  })

  const attachText = (title: string, words: string, mediaType?: string) =>
    world.wiki.control.attach(page, textFile(words, title, mediaType))

  const elementsOf = async (id: string): Promise<Indexed[]> =>
    (await contents(world)).filter(({ _source }) => _source.record_id.endsWith(`/${id}`))

  async function skippedOf({ id }: { id: string }): Promise<Record<string, string>> {
    const { body } = await world.api.get<Documents>(`/jobs/${id}/documents?state=skipped&limit=500`)
    return Object.fromEntries(
      body.items.map(({ record_id, error }) => [
        record_id.split('/').at(-1),
        `${error?.code}: ${error?.message}`,
      ]),
    )
  }

  async function finds(user: string): Promise<boolean> {
    await world.destination.refresh()
    const path = `/destinations/${flow.destinationId}/search`
    const answer = await world.api.post<{ hits: { text: string }[] }>(path, {
      query: 'zebrafish',
      as: { user },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.hits.some(({ text }) => text.includes('zebrafish'))
  }

  /** A run that requests no file, from the wiki or from the file store. */
  async function untouched(work: () => Promise<JobResult>): Promise<JobResult> {
    await world.wiki.control.resetCounts()
    const ended = await work()
    const asked = (await world.wiki.control.requests()).filter(
      ({ site, url }) => site === 'media' || url.includes('/download'),
    )
    assert.deepEqual(asked, [])
    return ended
  }
})

type Documents = { items: { record_id: string; error?: { code: string; message: string } }[] }

const scope = { spaces: ['OPN', 'SEC'], extract_files: true }
const FILM = Buffer.from('\0\0\0\u0018ftypmp42\0\0\0\0isommp42', 'latin1').toString('base64')
const fixture = (name: string) => readFile(new URL(`../fixtures/files/${name}`, import.meta.url))

/** A document that declares an expanded size of 250 MB. */
function bomb(): Buffer {
  const parts = new Map([
    ['[Content_Types].xml', Buffer.from('<Types/>')],
    ['word/document.xml', Buffer.from('x')],
  ])
  const bytes = packArchive(parts)
  bytes.writeUInt32LE(250_000_000, bytes.lastIndexOf('PK\x01\x02') + 24)
  return bytes
}
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** Everything except times. */
function withoutTimes(elements: Indexed[]) {
  return elements.map(({ _id, _source }) => {
    const { date_processed: _, ...about } = _source.metadata.data_source
    return { _id, ..._source, metadata: { ..._source.metadata, data_source: about } }
  })
}
