import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { sql } from 'kysely'
import type { z } from 'zod'
import type {
  DocumentChanges,
  DocumentContent,
  DocumentOverview,
  DocumentVersion,
  DrawnPage,
  documentRunShape,
} from '../../src/api/shapes/document.ts'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { searchedLedger } from '../../src/store/ledger/ledgers.ts'
import { contents } from '../world/agreement.ts'
import { type Flow, type JobResult, makeFlow, run } from '../world/flow.ts'
import { addOtherWorkspace } from '../world/other-workspace.ts'
import { text as at, lockedPdf, pdfOf } from '../world/pdf.ts'
import { ALL_PEOPLE, annAndBen } from '../world/small-world.ts'
import { openWorld, type World } from '../world/world.ts'

/** One page: text changes twice, permissions twice, and one version fails. */
describe('a document', () => {
  let world: World
  let flow: Flow
  let db: Database
  let [ann, ben, parent, page, recordId] = ['', '', '', '', '']
  const jobs: JobResult[] = []

  const ask = <T>(path: string, more: Record<string, string> = {}) =>
    world.api.get<T>(`${path}?${new URLSearchParams({ record_id: recordId, ...more })}`)
  const read = async <T>(path: string, more: Record<string, string> = {}): Promise<T> => {
    const answer = await ask<T>(path, more)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const inFlow = () => ({ workflow_id: flow.workflowId })
  const overview = () => read<DocumentOverview>('/documents')
  const versionsOf = () => read<DocumentVersion[]>('/documents/versions', inFlow())
  const changes = (from: DocumentVersion | undefined, to: DocumentVersion | undefined) =>
    read<DocumentChanges>('/documents/changes', { ...inFlow(), from: from?.id ?? '', to: to?.id ?? '' })
  const runFlow = async () => jobs.push(await run(world, flow))

  before(async () => {
    world = await openWorld({ wiki: { seed: 71, pages: 4, spaces: 1, people: 8, groups: 3 } })
    db = openDatabase(world.databaseUrl)
    const { control } = world.wiki
    ;[ann, ben] = await annAndBen(world.wiki)
    await control.addSpace({ key: 'DOC', name: 'Documents', permissions: ALL_PEOPLE })
    parent = await control.createPage({ space: 'DOC', title: 'Team home', body: '<p>Home.</p>' })
    page = await control.createPage({
      space: 'DOC',
      title: 'Plans',
      parentId: parent,
      body: FIRST,
    })
    flow = await makeFlow(world, { source: { spaces: ['DOC'], extract_files: true } })
    await runFlow()
    const { items } = (
      await world.api.get<{ items: { record_id: string }[] }>(`/jobs/${jobs[0]?.id}/documents`)
    ).body
    recordId = items.find(({ record_id: id }) => id.endsWith(`/${page}`))?.record_id ?? ''
  })
  after(async () => {
    await closeDatabase(db)
    await world.close()
  })

  test('it shows place, versions and permissions by workflow', async () => {
    const found = await overview()
    assert.deepEqual(
      [found.title, found.space_key, found.version, found.ancestors.at(-1)?.title],
      ['Plans', 'DOC', '1', 'Team home'],
    )
    const [first] = found.workflows
    assert.deepEqual(
      [first?.workflow_id, first?.destination_id, first?.state, first?.indexed_version, first?.error],
      [flow.workflowId, flow.destinationId, 'searchable', '1', null],
    )
    assert.ok((first?.elements ?? 0) > 0)
    const permissions = first?.permissions
    assert.match(permissions?.everyone ?? '', /^class:.*all-licensed-users$/)
    assert.deepEqual([permissions?.people, permissions?.groups, permissions?.status], [0, 0, 'fresh'])
    assert.deepEqual(permissions?.levels.map(({ level, restricted }) => [level, restricted]).at(-1), [
      'page',
      false,
    ])
  })

  test('it counts only people who pass every level', async () => {
    await world.wiki.control.restrict(parent, { read: { users: [ann, ben] } })
    await world.wiki.control.restrict(page, { read: { users: [ann] } })
    await runFlow()
    const { permissions } = (await overview()).workflows[0]!
    assert.deepEqual([permissions.people, permissions.groups, permissions.everyone], [1, 0, null])
    assert.deepEqual(
      permissions.levels.filter(({ restricted }) => restricted).map(({ level, title }) => [level, title]),
      [
        ['ancestor', 'Team home'],
        ['page', 'Plans'],
      ],
    )
  })

  test('it names the error of a version and the version that is still searchable', async () => {
    await world.wiki.control.setBinaryBody(page)
    await runFlow()
    const found = (await overview()).workflows[0]!
    assert.deepEqual([found.state, found.indexed_version, found.wanted_version], ['outdated', '1', '2'])
    assert.equal(found.error?.code, 'document_broken')
    assert.ok((found.error?.fix.length ?? 0) > 10)
    const runs = await read<z.infer<typeof documentRunShape>[]>('/documents/runs', inFlow())
    assert.deepEqual(
      runs.map(({ state, version }) => [state, version]),
      [
        ['failed', '2'],
        ['permissions_only', '1'],
        ['new', '1'],
      ],
    )
  })

  test('it links every element to the blocks that it is made of', async () => {
    await world.wiki.control.editPage(page, { body: SECOND })
    await runFlow()
    const content = await read<DocumentContent>('/documents/content', inFlow())
    assert.deepEqual([content.version, content.indexed_version, content.indexed], ['3', '3', true])
    const blocks = new Map(content.blocks.map((block) => [block.id, block]))
    assert.ok(content.blocks.some(({ type, html }) => type === 'Table' && html?.includes('<td>')))
    assert.ok(content.elements.length > 0)
    for (const { text, block_ids: ids } of content.elements) {
      assert.ok(ids.length > 0, text)
      for (const id of ids) assert.ok(blocks.has(id), id)
      assert.ok(text.includes(blocks.get(ids[0] ?? '')?.text.slice(0, 10) ?? '?'), text)
    }
    const linked = new Set(content.elements.flatMap(({ block_ids: ids }) => ids))
    assert.equal(linked.size, content.blocks.length)
  })

  test('it says that the source has a newer version than the index', async () => {
    await world.wiki.control.editPage(page, { body: THIRD })
    const content = await read<DocumentContent>('/documents/content', inFlow())
    assert.deepEqual([content.version, content.indexed_version, content.indexed], ['4', '3', false])
  })

  test('it lists versions with what changed in each', async () => {
    await runFlow()
    await world.wiki.control.restrict(page, { read: { users: [ben] } })
    await runFlow()
    const versions = await versionsOf()
    assert.deepEqual(
      versions.map(({ version, changed }) => [version, changed]),
      [
        ['4', ['permissions']],
        ['4', ['text']],
        ['3', ['text']],
        ['1', ['permissions']],
        ['1', []],
      ],
    )
    assert.equal(versions.at(-1)?.job_id, jobs[0]?.id)
  })

  test('it compares the text of two versions', async () => {
    const [, fourth, third, , first] = await versionsOf()
    const { text, text_problem: problem, permissions } = await changes(third, fourth)
    assert.deepEqual([problem, permissions], [null, []])
    assert.deepEqual(
      text?.filter(({ kind }) => kind !== 'same'),
      [
        { kind: 'removed', text: 'The second goal.' },
        { kind: 'added', text: 'The third goal.' },
      ],
    )
    assert.ok(text?.some(({ kind, text: same }) => kind === 'same' && same.includes('It stays.')))
    const whole = await changes(first, fourth)
    assert.ok(whole.text?.some(({ kind, text: line }) => kind === 'removed' && line === 'The first goal.'))
  })

  test('it compares permissions level by level', async () => {
    const [newest, fourth, , second, first] = await versionsOf()
    const one = (users: string[]) => ({ users, groups: [], classes: [], more: 0 })
    const changed = await changes(fourth, newest)
    assert.deepEqual([changed.text, changed.text_problem], [[], null])
    assert.deepEqual(changed.permissions, [
      {
        level: 'page',
        id: page,
        title: 'Plans',
        added: one([ben]),
        removed: one([ann]),
        restriction: 'changed',
      },
    ])
    const begun = await changes(first, second)
    assert.deepEqual(
      begun.permissions.map(({ level, title, added, restriction }) => [
        level,
        title,
        added.users.toSorted(),
        restriction,
      ]),
      [
        ['ancestor', 'Team home', [ann, ben].toSorted(), 'added'],
        ['page', 'Plans', [ann], 'added'],
      ],
    )
  })

  test('it names the problem if the wiki refuses a page, and shows no text', async () => {
    const [, fourth, third] = await versionsOf()
    await world.wiki.control.fail({ path: `/pages/${page}\\?`, status: 404, times: null })
    const { text, text_problem: problem } = await changes(third, fourth)
    await world.wiki.control.clearFaults()
    assert.equal(text, null)
    assert.match(problem ?? '', /version 3 of page/)
  })

  test('it keeps the last 20 versions and the permissions that they name', async () => {
    await sql`with old as (
        insert into past_permissions (workflow_id, key, hash, levels)
        select ${flow.workflowId}, 'DOC', 'old ' || n, '[{"who": ["user:old"]}]' from generate_series(1, 14) as n
        returning id)
      insert into document_versions (id, workflow_id, record_id, version, permissions_id, place)
        overriding system value
      select -old.id, ${flow.workflowId}, ${recordId}, '0', old.id, '' from old`.execute(db)
    assert.equal((await versionsOf()).length, 19)
    for (const users of [[ann], [ann, ben]]) {
      await world.wiki.control.restrict(page, { read: { users } })
      await runFlow()
    }
    assert.equal((await versionsOf()).length, 20)
    const { rows } = await sql`select hash from past_permissions as p where not exists (
      select from document_versions where permissions_id = p.id)`.execute(db)
    assert.deepEqual(rows, [])
  })

  test('it records who read the text of a document', async () => {
    const { rows } = await sql<{ action: string; subject: { record_id: string; title: string } }>`
      select distinct action, subject from audit where action like 'view_document%'`.execute(db)
    assert.deepEqual([...new Set(rows.map(({ action }) => action))].toSorted(), [
      'view_document',
      'view_document_changes',
    ])
    for (const { subject } of rows) assert.deepEqual([subject.record_id, subject.title], [recordId, 'Plans'])
  })

  test('it finds the workspace of a document', async () => {
    assert.equal((await read<{ name: string }[]>('/documents/locate')).length, 1)
    const elsewhere = await world.api.get<unknown[]>('/documents/locate?record_id=elsewhere.example/1')
    assert.deepEqual(elsewhere.body, [])
  })

  test('it finds a document by a part of its title', async () => {
    const find = (title: string) =>
      world.api.get<{ record_id: string; title: string }[]>(
        `/documents/find?${new URLSearchParams({ title })}`,
      )
    assert.deepEqual((await find('PLAN')).body, [
      { record_id: recordId, title: 'Plans', space_key: 'DOC', space_name: 'Documents' },
    ])
    assert.deepEqual((await find('no such %')).body, [])
    for (const title of [' ', ' p ']) assert.equal((await find(title)).status, 422)
  })

  test('it knows no document of another workspace', async () => {
    const other = await addOtherWorkspace(world.databaseUrl)
    await sql`insert into documents (ledger_id, record_id, scope, position, locator, version, state_hash,
        settings_hash, element_ids, settled, fence)
      select ${searchedLedger(other.workflow)}, 'theirs.example/1', scope, position, locator, version, state_hash, settings_hash,
        element_ids, settled, fence from documents where record_id = ${recordId}`.execute(db)
    const queries: Record<string, Record<string, string>> = {
      '/documents/runs': {},
      '/documents/versions': {},
      '/documents/content': {},
      '/documents/page': { page: '1' },
      '/documents/changes': { from: '1', to: '2' },
    }
    for (const [path, more] of Object.entries(queries)) {
      assert.equal((await ask(path, { workflow_id: other.workflow, ...more })).status, 404, path)
      assert.equal((await ask(path, { workflow_id: 'nonsense', ...more })).status, 404, path)
    }
    assert.equal((await ask('/documents/changes', { ...inFlow(), from: '1', to: 'x' })).status, 404)
    assert.equal((await world.api.get('/documents?record_id=theirs.example/1')).status, 404)
    assert.deepEqual((await world.api.get('/documents/locate?record_id=theirs.example/1')).body, [])
  })

  test('it shows no text of a page in the trash', async () => {
    const versions = await versionsOf()
    const [third, fourth] = ['3', '4'].map((number) => versions.find(({ version }) => version === number))
    assert.ok((await changes(third, fourth)).text)
    await world.wiki.control.trashPage(page)
    const { text, text_problem: problem } = await changes(third, fourth)
    assert.equal(text, null)
    assert.match(problem ?? '', /does not show it to the service/)
  })

  test('it forgets a document that left the source', async () => {
    await world.wiki.control.deletePage(page)
    await runFlow()
    assert.equal((await ask('/documents')).status, 404)
    const { rows } = await sql`select from document_versions where record_id = ${recordId}`.execute(db)
    assert.equal(rows.length, 0)
  })

  test('it draws a page of a PDF and says where its text is', async () => {
    const { control } = world.wiki
    const pages = [{ content: at(40, 60, 'The gate is closed at') + at(40, 48, 'four yards deep.') }, {}]
    const attached = { title: 'gate.pdf', mediaType: 'application/pdf' }
    const id = await control.attach(parent, { ...attached, base64: pdfOf(pages).toString('base64') })
    const drawn = (page: string) => ask<DrawnPage>('/documents/page', { ...inFlow(), page })
    const home = recordId.replace(/[^/]+$/, parent)
    recordId = recordId.replace(/[^/]+$/, id)
    assert.equal((await drawn('1')).status, 404)
    await runFlow()

    const { blocks, filetype, indexed } = await read<DocumentContent>('/documents/content', inFlow())
    assert.deepEqual([filetype, indexed, blocks.length], ['application/pdf', true, 1])
    const box = { left: 40, top: 31, right: 133, bottom: 55 }
    assert.deepEqual([blocks[0]?.page, blocks[0]?.box], [1, box])
    assert.doesNotMatch(JSON.stringify(await contents(world)), /"box/)
    const first = await drawn('1')
    assert.equal(first.headers.get('cache-control'), 'no-store')
    const { png, ...rest } = first.body
    assert.deepEqual(rest, { version: '1', page: 1, pages: 2, width: 200, height: 100 })
    const ink = await inkIn(Buffer.from(png, 'base64'), rest.width)
    // The text fills its box: capitals and the tail of a letter end just inside.
    for (const side of ['left', 'top', 'right', 'bottom'] as const)
      assert.ok(Math.abs(ink[side] - box[side]) <= 3, `${side}: ${ink[side]}`)
    assert.equal((await drawn('2')).status, 200)

    for (const [page, status, words] of [
      ['3', 404, /gate\.pdf: it has no page 3; the last is 2/],
      ['0', 422, /page/],
      ['x', 422, /page/],
    ] as const) {
      const answer = await drawn(page)
      assert.deepEqual([answer.status, words.test(answer.text)], [status, true], answer.text)
    }
    const { rows } = await sql<{ subject: { page?: number } }>`
      select subject from audit where action = 'view_document' order by id desc limit 2`.execute(db)
    assert.deepEqual(
      rows.map(({ subject }) => subject.page),
      [2, 1],
    )

    await control.updateAttachment(id, { base64: lockedPdf().toString('base64') })
    const locked = await drawn('1')
    assert.deepEqual([locked.status, /protected by a password/.test(locked.text)], [422, true], locked.text)
    await control.removeAttachment(id)
    const gone = await drawn('1')
    assert.deepEqual([gone.status, /does not show it/.test(gone.text)], [404, true], gone.text)
    recordId = home
    const html = await drawn('1')
    assert.deepEqual([html.status, /is not a PDF/.test(html.text)], [409, true], html.text)
  })
})

/** What is not white, in points. */
async function inkIn(png: Buffer, width: number) {
  const picture = await loadImage(png)
  const context = createCanvas(picture.width, picture.height).getContext('2d')
  context.drawImage(picture, 0, 0)
  const { data } = context.getImageData(0, 0, picture.width, picture.height)
  const dark = Array.from({ length: data.length / 4 }, (_, index) => index).filter(
    (index) => (data[4 * index] ?? 255) < 128,
  )
  const xs = dark.map((index) => ((index % picture.width) / picture.width) * width)
  const ys = dark.map((index) => (Math.floor(index / picture.width) / picture.width) * width)
  return { left: Math.min(...xs), top: Math.min(...ys), right: Math.max(...xs), bottom: Math.max(...ys) }
}

const TABLE = '<table><tr><th>Year</th></tr><tr><td>2026</td></tr></table>'
const [FIRST, SECOND, THIRD] = ['first', 'second', 'third'].map(
  (nth) => `<h1>Goals</h1><p>The ${nth} goal. It stays.</p>${TABLE}`,
)
