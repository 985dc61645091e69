import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PUBLIC } from '../../../test/world/internet.ts'
import { imageAt, ownImage } from '../../../test/world/storage.ts'
import { embedded, missing, onPicturedSites, PNG } from '../../../test/world/wiki-images.ts'
import { listAll, pageOf, readDocument } from '../../../test/world/wiki-source.ts'

onPicturedSites((site) => {
  const { deployment, isCloud, internet, newSpace, newPage, open, readOne, requests } = site

  describe('from other hosts', () => {
    const from = (url: string) => imageAt(url)

    test('are embedded with the type of their content', async () => {
      const document = await readOne(
        from('http://pictures.example/good.png') + from('http://pictures.example/away.png'),
      )
      assert.deepEqual(document.sources, [embedded(PNG), embedded(PNG)])
      assert.equal(missing(document), 0)
      assert.equal(document.incomplete, undefined)
    })

    test('are requested without credentials or cookies', async () => {
      const view = from('http://pictures.example/good.png').repeat(6)
      await readOne(view + from(`//pictures.example/good.png`) + from('\\\\pictures.example\\good.png'))
      assert.equal(internet.seen.length, 8)
      for (const { headers } of internet.seen) {
        assert.deepEqual(
          ['authorization', 'cookie', 'referer', 'from', 'x-atlassian-token'].filter(
            (name) => name in headers,
          ),
          [],
        )
      }
    })

    test('are never read from internal addresses, even if the operator allows these', async () => {
      assert.equal(
        (await site.egress.request(new URL(`${internet.insideUrl}/x.png`), {}, AbortSignal.timeout(60_000)))
          .status,
        200,
      )
      internet.inside.length = 0
      internet.dialled.length = 0
      await site.control.resetCounts()
      const port = new URL(internet.insideUrl).port
      const urls = [
        `${internet.insideUrl}/x.png`,
        `http://localhost:${port}/x.png`,
        `http://127.1:${port}/x.png`,
        `http://[::ffff:127.0.0.1]:${port}/x.png`,
        `http://inside.example:${port}/x.png`,
        'http://pictures.example/inside.png',
        'http://169.254.169.254/latest/meta-data',
        'http://user:pw@pictures.example/good.png',
        `${new URL(isCloud ? site.wiki.dataCenterUrl : site.wiki.cloudUrl).origin}/x.png`,
        `${site.wiki.mediaUrl}/file/x/binary`,
      ]
      const document = await readOne(urls.map(from).join(''))
      assert.deepEqual(document.sources, urls)
      assert.equal(missing(document), urls.length)
      assert.deepEqual(internet.inside, [])
      assert.deepEqual(
        internet.seen.map(({ url }) => url),
        ['/inside.png'],
      )
      assert.deepEqual(
        internet.dialled.filter((address) => !['127.0.0.1', PUBLIC].includes(address)),
        [],
      )
      const strange = (await site.control.requests()).filter(
        ({ site, url }) => site === 'media' || url.endsWith('/x.png'),
      )
      assert.deepEqual(strange, [])
    })

    test('are missing if not found, and read again only after a failure', async () => {
      for (const [path, again] of [
        ['none.png', undefined],
        ['page.png', undefined],
        ['large.png', undefined],
        ['broken.png', true],
      ] as const) {
        const url = `http://pictures.example/${path}`
        const document = await readOne(from(url))
        assert.deepEqual(document.sources, [url])
        assert.equal(missing(document), 1, path)
        assert.equal(document.incomplete, again, path)
      }
    })

    test('do not request the files of the page if they are too large', async () => {
      const space = await newSpace()
      const pageId = await newPage(space)
      await site.control.editPage(pageId, { body: from('http://pictures.example/large.png') })
      const source = open(space)
      const ref = pageOf((await listAll(source)).refs, pageId)
      await site.control.fail({ path: 'attachment', status: 500, body: {}, times: null })
      const { warnings } = await readDocument(source, ref)
      assert.match(warnings?.[0]?.message ?? '', /large\.png of pictures\.example \(size unknown\)/)
    })
  })

  describe('whose addresses an author chose', () => {
    /** The requests of reading a page, all with the account's credentials. */
    const expected = isCloud
      ? /^\/wiki\/(api\/v2\/(pages|blogposts)\/\d+(\/attachments)?|rest\/api\/content\/\d+\/child\/attachment\/att\d+\/download)$/
      : /^\/confluence\/(rest\/api\/content(\/(search|\d+(\/child\/attachment)?))?|download\/attachments\/\d+\/[^/\\]+)$/

    async function requestedPaths(images: (pageId: string) => string[]): Promise<string[]> {
      const space = await newSpace()
      const pageId = await newPage(space)
      await site.control.editPage(pageId, { body: images(pageId).join('') })
      const source = open(space)
      const ref = pageOf((await listAll(source)).refs, pageId)
      await site.control.resetCounts()
      const document = await readDocument(source, ref)
      assert.doesNotMatch(String(document.body), /data:/)
      // The list by this id reads the body itself.
      const isBody = (url: string) => url.includes(`/api/v2/pages?id=${pageId}&`)
      return (await requests()).filter((url) => !isBody(url)).map((url) => url.split('?', 1)[0]!)
    }
    const img = (src: string) => `${imageAt(src)}<img src="${src}" data-image-src="${src}" />`

    test('never make the account request anything else of the wiki', async () => {
      const { host, origin } = new URL(deployment.home(site.wiki))
      const paths = await requestedPaths((pageId) =>
        [
          '/wiki/logout.action',
          '/wiki/rest/api/content/1/child/page',
          '/wiki/rest/api/space',
          '/wiki/rest/api/user/current',
          '/wiki/api/v2/pages',
          '../logout.action',
          '../../rest/api/space',
          'logout.action',
          `/wiki/download/attachments/${pageId}/../../../logout.action`,
          `/wiki/download/attachments/${pageId}/%2e%2e/%2e%2e/%2e%2e/logout.action`,
          `/wiki/download/attachments/${pageId}\\..\\..\\..\\logout.action`,
          `/wiki/download/attachments/${pageId}/x.png/../../../../logout.action`,
          '/wiki/plugins/servlet/anything',
          `//${host}/wiki/logout.action`,
          `\\\\${host}\\wiki\\logout.action`,
          `${origin}/wiki/logout.action`,
          `http://user:pw@${host}/wiki/logout.action`,
          `http://user:pw@${host}/wiki/rest/api/user/current`,
          `http://${host}@127.0.0.1:9/x.png`,
          'javascript:alert(1)',
          'file:///etc/passwd',
        ].map(img),
      )
      assert.deepEqual(
        paths.filter((path) => !expected.test(path)),
        [],
      )
      assert.deepEqual(internet.seen, [])
    })

    test('never do so through file names', async () => {
      const names = ['..', '../../../rest/api/space', '?os_username=a', '2/../../../../user/current', 'a\\b']
      const paths = await requestedPaths(() => names.map(ownImage))
      assert.deepEqual(
        paths.filter((path) => !expected.test(path)),
        [],
      )
    })

    test('never do so through %2F, which some proxies decode to a slash', async () => {
      const paths = await requestedPaths((pageId) => [
        img(`/wiki/download/attachments/${pageId}/..%2F..%2F..%2Flogout.action`),
        img(`/wiki/download/attachments/${pageId}/..%5C..%5Clogout.action`),
      ])
      assert.deepEqual(
        paths.filter((path) => !expected.test(decodeURIComponent(path))),
        [],
      )
    })
  })
})
