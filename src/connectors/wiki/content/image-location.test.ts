import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageLocation } from './image-location.ts'

const page = { pageId: '7', title: 'Plan', spaceKey: 'OPS', home: 'https://w.example/wiki' }
const kindOf = (url: string) => {
  const { location } = imageLocation({ kind: 'url', url }, page)
  return location.kind === 'own' ? `own ${location.name}` : location.kind
}

test('files of the page are read with credentials, other hosts without, anything else not at all', () => {
  const cases: Record<string, string> = {
    'https://p.example/a.png': 'external',
    '//p.example/a.png': 'external',
    'https://w.example.evil.example/a.png': 'external',
    'https://w.example/wiki/download/attachments/7/a%20b.png?version=1': 'own a b.png',
    '/wiki/download/thumbnails/7/a+b.png': 'own a b.png',
    'download/attachments/7/a.png': 'own a.png',
    'https://w.example/wiki/download/attachments/8/a.png': 'other',
    '/wiki/download/attachments/7/x/../../8/a.png': 'other',
    '/wiki/download/attachments/7/..%2F8%2Fa.png': 'own ../8/a.png',
    '/wiki/download/attachments/7/%': 'other',
    '/wiki/rest/api/user/current': 'other',
    'http://user:pw@w.example/wiki/logout.action': 'other',
    'javascript:alert(1)': 'other',
    'file:///etc/passwd': 'other',
    '': 'other',
    'data:image/png;base64,AAAA': 'inline',
  }
  for (const [url, expected] of Object.entries(cases)) assert.equal(kindOf(url), expected, url)
})

test('a named file belongs to the page, whatever its name', () => {
  const { location, src } = imageLocation({ kind: 'file', name: 'a &amp; ../b?.png', pageId: '7' }, page)
  assert.deepEqual(location, { kind: 'own', name: 'a & ../b?.png' })
  assert.equal(src, 'https://w.example/wiki/download/attachments/7/a%20%26%20..%2Fb%3F.png')
  assert.equal(imageLocation({ kind: 'file', name: '', pageId: '7' }, page).location.kind, 'other')
  assert.equal(imageLocation(null, page).location.kind, 'other')
})
