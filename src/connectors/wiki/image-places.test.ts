import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { placeOfImage } from './image-places.ts'
import { cloudSite, dataCenterSite, gatewaySite } from './transport/site.ts'

const cloud = cloudSite('https://acme.example')
const sites = {
  Cloud: { site: cloud, home: 'https://acme.example/wiki', context: '/wiki' },
  gateway: {
    site: gatewaySite(cloud, { origin: 'https://gateway.example', cloudId: 'c-1' }),
    home: 'https://acme.example/wiki',
    context: '/wiki',
  },
  'Data Center': {
    site: dataCenterSite('https://acme.example/confluence'),
    home: 'https://acme.example/confluence',
    context: '/confluence',
  },
  'Data Center at the top': {
    site: dataCenterSite('https://acme.example'),
    home: 'https://acme.example',
    context: '',
  },
}

for (const [name, { site, home, context }] of Object.entries(sites)) {
  const placeOf = (attributes: Record<string, string>) => placeOfImage({ start: 0, end: 0, attributes }, site)
  const kindOf = (src: string) => placeOf({ src }).kind

  describe(`the place of an image (${name})`, () => {
    test('is the store, by the page and the file that the wiki names beside the address', () => {
      const named = {
        src: `${context}/download/thumbnails/9/x.png`,
        'data-linked-resource-container-id': '7',
        'data-linked-resource-id': '12',
        'data-linked-resource-default-alias': 'a b&c.png',
      }
      assert.deepEqual(placeOf(named), {
        kind: 'stored',
        stored: { pageId: '7', name: 'a b&c.png', fileId: '12' },
      })
    })

    test('is the store, by the path of an attachment or a thumbnail, with host and without', () => {
      for (const start of [context, home]) {
        for (const folder of ['attachments', 'thumbnails']) {
          const src = `${start}/download/${folder}/7/a%20b%26c+d%2Be.png?version=1&api=v2`
          const stored = { pageId: '7', name: 'a b&c d+e.png', fileId: null }
          assert.deepEqual(placeOf({ src }), { kind: 'stored', stored }, src)
        }
      }
    })

    test('is that of the picture and not of its thumbnail', () => {
      const attributes = {
        src: `${context}/download/thumbnails/7/small.png`,
        'data-image-src': `${context}/download/attachments/7/large.png`,
      }
      const place = placeOf(attributes)
      assert.ok(place.kind === 'stored' && place.stored.name === 'large.png')
    })

    test('is elsewhere for other hosts, however they are written', () => {
      const srcs = [
        'https://b.example/a.png',
        'http://b.example/a.png',
        '//b.example/a.png',
        '\\\\b.example\\a.png',
      ]
      for (const src of [...srcs, 'https://acme.example.evil.example/wiki/download/attachments/7/a.png']) {
        assert.equal(kindOf(src), 'elsewhere', src)
      }
      const port = 'https://acme.example:8443/wiki/download/attachments/7/a.png'
      assert.equal(kindOf(port), 'elsewhere')
    })

    test('is unknown for whatever else of the wiki an author may name', () => {
      const paths = [
        '/logout.action',
        '/rest/api/content/7',
        '/api/v2/pages/7',
        '/download/attachments/7/../../../logout.action',
        '/download/attachments/7/%2e%2e',
        '/download/attachments/7/%2e%2e/%2e%2e/logout.action',
        '/download/attachments/../../logout.action',
        '/download/attachments/seven/a.png',
        '/download/attachments/7/a/b.png',
        '/download/attachments/7/',
        '/download/attachments/7/%ff.png',
        '/download/temp/a.png',
        '/plugins/servlet/confluence/placeholder/unknown-attachment',
      ]
      for (const path of paths) {
        assert.equal(kindOf(`${context}${path}`), 'unknown', path)
        assert.equal(kindOf(`${home}${path}`), 'unknown', path)
        assert.equal(kindOf(`//acme.example${context}${path}`), 'unknown', path)
        assert.equal(kindOf(`https://user:pw@acme.example${context}${path}`), 'unknown', path)
      }
      for (const src of [
        'javascript:alert(1)',
        'file:///etc/passwd',
        'ftp://b.example/a',
        'https://',
        'cid:1',
      ])
        assert.equal(kindOf(src), 'unknown', src)
    })

    test('is not taken from names that are none', () => {
      const names = [
        { 'data-linked-resource-container-id': '7/../8', 'data-linked-resource-default-alias': 'a.png' },
        { 'data-linked-resource-container-id': '', 'data-linked-resource-default-alias': 'a.png' },
        { 'data-linked-resource-container-id': '7', 'data-linked-resource-default-alias': '..' },
        { 'data-linked-resource-container-id': '7', 'data-linked-resource-default-alias': '' },
      ]
      for (const each of names)
        assert.equal(
          placeOf({ src: `${context}/logout.action`, ...each }).kind,
          'unknown',
          JSON.stringify(each),
        )
      const id = { 'data-linked-resource-id': '1/../2' }
      const place = placeOf({ src: 'x', ...names[0], ...id, 'data-linked-resource-container-id': '7' })
      assert.deepEqual(place, { kind: 'stored', stored: { pageId: '7', name: 'a.png', fileId: null } })
    })

    test('is none for characters, decorations, and pictures that stand in the page itself', () => {
      const none: Record<string, string>[] = [
        { src: 'data:image/png;base64,AA==' },
        { src: 'DATA:image/png;base64,AA==' },
        { class: 'emoticon emoticon-smile', src: `${context}/s/1/_/images/icons/emoticons/smile.png` },
        { class: 'x emoji', src: 'https://b.example/1f600.png' },
        { src: `${context}/s/1/_/images/icons/bullet.png` },
        { src: `${context}/images/icons/bullet.png` },
      ]
      for (const attributes of none) assert.equal(placeOf(attributes).kind, 'none', attributes.src)
    })

    test('is none where there is no address at all', () => {
      assert.equal(placeOf({ src: '' }).kind, 'none')
      assert.equal(placeOf({ alt: 'x' }).kind, 'none')
    })
  })
}

describe('the place of an image behind the gateway', () => {
  const { site } = sites.gateway
  const placeOf = (src: string) => placeOfImage({ start: 0, end: 0, attributes: { src } }, site)

  test('is the store by the address of the gateway too, and nothing else of the gateway', () => {
    const base = 'https://gateway.example/ex/confluence/c-1/wiki'
    assert.equal(placeOf(`${base}/download/attachments/7/a.png`).kind, 'stored')
    assert.equal(placeOf(`${base}/rest/api/content/7`).kind, 'unknown')
    assert.equal(placeOf('https://gateway.example/ex/confluence/c-2/wiki/rest/api/content/7').kind, 'unknown')
  })
})
