import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_ACCESS } from '../../../permissions/levels.ts'
import type { FileInfo, PageInfo, Space } from '../client.ts'
import { parseFiles } from '../content/file-list.ts'
import { isFile, nodeOfRef, pageIdOf } from '../document-page.ts'
import { dataCenterSite } from '../transport/site.ts'
import { fileRef, pageRef } from './refs.ts'

const site = dataCenterSite('https://Wiki.example/confluence')
const space: Space = { id: '1', key: '~ann', alias: null, name: 'Ann', archived: false, homepageId: null }
const row: PageInfo = {
  id: '98777',
  kind: 'page',
  status: 'current',
  spaceId: '1',
  title: 'Plan',
  parent: { id: '2', type: 'page' },
  version: '4',
  author: 'ann',
  createdAt: '2026-01-01T00:00:00.000Z',
  modifiedAt: '2026-01-02T00:00:00.000Z',
  url: null,
}
const home = { id: '2', title: 'Home', parent: null }
const metadata = {
  restrictions: new Map(),
  unreadRestrictions: new Map(),
  labels: new Map([['98777', ['kb']]]),
  files: new Map(),
  unreadableLabels: new Set<string>(),
  unlistedFiles: [],
}
const nodes = new Map([home, row].map((node) => [node.id, node]))
const access = { nodes, metadata, access: () => NO_ACCESS }
const refOf = (more: Partial<PageInfo> = {}, fingerprint = '') =>
  pageRef({ site, space, row: { ...row, ...more }, fingerprint, ...access })
const file: FileInfo = {
  id: 'att55',
  title: 'a b.pdf',
  version: '3',
  mediaType: 'application/pdf',
  bytes: null,
  mediaId: null,
  link: null,
  createdAt: null,
  modifiedAt: '2026-02-02T00:00:00.000Z',
}

describe('the ref of a page', () => {
  test('is unique across wikis and sorts by its id', () => {
    const ref = refOf()
    assert.equal(ref.recordId, 'wiki.example/confluence/98777')
    assert.equal(ref.position, '00000000000000098777')
    assert.equal(ref.scope, '~ann')
    assert.equal(ref.filename, '98777.html')
    assert.deepEqual(ref.labels, ['kb'])
    assert.deepEqual(ref.ancestors, [{ id: '2', title: 'Home' }])
    assert.deepEqual(ref.locator, { space_key: '~ann', page_id: '98777' })
  })

  test('has the address from the wiki, or one built from the encoded space key', () => {
    assert.equal(refOf().url, 'https://wiki.example/confluence/spaces/~ann/pages/98777')
    assert.equal(refOf({ url: 'https://wiki.example/x' }).url, 'https://wiki.example/x')
  })

  test('has the fingerprint in its version', () => {
    assert.equal(refOf().version, '4')
    assert.equal(refOf({}, '+9f3a2c81').version, '4+9f3a2c81')
  })

  test('marks a blog post as such', () => {
    const post = refOf({ kind: 'blogpost' })
    assert.equal(post.locator.content_type, 'blogpost')
    assert.deepEqual(nodeOfRef(post), { id: '98777', type: 'blogpost' })
    assert.deepEqual(nodeOfRef(refOf()), { id: '98777', type: 'page' })
  })
})

describe('the ref of a file', () => {
  test('has the permissions, labels and ancestors of its page, and its own id, version and dates', () => {
    const page = { ...refOf(), undecided: true as const }
    const ref = fileRef(page, file, site)
    assert.equal(ref.access, page.access)
    assert.equal(ref.recordId, 'wiki.example/confluence/att55')
    const { scope, position, version, title, labels, createdAt, modifiedAt, undecided } = ref
    assert.deepEqual(
      { scope, position, version, title, labels, createdAt, modifiedAt, undecided },
      {
        scope: '~ann',
        position: page.position,
        version: '3',
        title: 'a b.pdf',
        labels: ['kb'],
        createdAt: null,
        modifiedAt: '2026-02-02T00:00:00.000Z',
        undecided: true,
      },
    )
    assert.deepEqual(ref.ancestors, [
      { id: '2', title: 'Home' },
      { id: '98777', title: 'Plan' },
    ])
    const url =
      'https://wiki.example/confluence/pages/viewpageattachments.action?pageId=98777&preview=%2F98777%2F55%2Fa%20b.pdf'
    assert.deepEqual(ref.locator, {
      space_key: '~ann',
      page_id: '98777',
      attachment_id: 'att55',
      record_id: 'wiki.example/confluence/att55',
      url,
    })
    assert.equal(ref.url, url)
  })

  test('differs from that of its page, and leads back to it', () => {
    const ref = fileRef(refOf({ kind: 'blogpost' }), file, site)
    assert.deepEqual([isFile(ref), isFile(refOf())], [true, false])
    assert.equal(pageIdOf(ref), '98777')
    assert.deepEqual(nodeOfRef(ref), { id: '98777', type: 'blogpost' })
    assert.equal(pageIdOf({ recordId: 'wiki.example/confluence/12', locator: {} }), '12')
  })

  test('never has a name that is a path', () => {
    const names: [string, string][] = [
      ['../../etc/passwd', 'passwd'],
      ['..\\..\\win.ini', 'win.ini'],
      ['a/b\\c.txt', 'c.txt'],
      ['.htaccess', '.htaccess'],
      ['README', 'README'],
      ['two\nlines\u0000.txt', 'twolines.txt'],
      ['  spaced.txt ', 'spaced.txt'],
      ['..', 'att55'],
      ['.', 'att55'],
      ['a/', 'att55'],
      ['a/..', 'att55'],
      ['\u0000..', 'att55'],
      ['', 'att55'],
    ]
    for (const [title, expected] of names)
      assert.equal(fileRef(refOf(), { ...file, title }, site).filename, expected, JSON.stringify(title))
  })
})

describe('the files that come with a page', () => {
  const results = [
    { id: 'att1', title: 'a.txt', version: { number: 2 } },
    { id: 'att2', status: 'trashed' },
  ]

  test('are the current ones with their details', () => {
    const [file, ...others] = parseFiles({ attachment: { results, limit: 25, size: 2 } }) ?? []
    assert.deepEqual([file?.id, file?.title, file?.version, others], ['att1', 'a.txt', '2', []])
    assert.deepEqual(parseFiles({ attachment: { results: [], limit: 25, size: 0 } }), [])
  })

  test('are unknown, not empty, if the list is incomplete', () => {
    const many = Array.from({ length: 25 }, (_, at) => ({ id: `att${at}` }))
    for (const children of [
      null,
      undefined,
      {},
      {
        attachment: { results, limit: 25, _links: { next: '/rest/api/content/1/child/attachment?start=2' } },
      },
      { attachment: { results, limit: 25, size: 3 } },
      { attachment: { results, limit: 2 } },
      { attachment: { results: many } },
    ])
      assert.equal(parseFiles(children), null, JSON.stringify(children))
  })
})
