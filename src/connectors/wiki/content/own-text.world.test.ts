import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, small } from '../../../../test/world/sites.ts'
import { documentOf, listed, pageOf } from '../../../../test/world/wiki-source.ts'

const include = (title: string) =>
  `<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="${title}"/></ac:link></ac:parameter></ac:structured-macro>`

onBothSites('the text of a page', small, (site) => {
  const read = async (space: string, id: string, more?: object) => {
    const source = site.open(space, more)
    const document = await documentOf(source, pageOf((await listed(source)).refs, id))
    return { ...document, html: String(document.body) }
  }

  test('it holds no text of a restricted page that it includes', async () => {
    const space = await site.newSpace()
    const secret = await site.newPage(space, { title: 'Salaries', view: '<p>wolverine earns 7000</p>' })
    await site.control.restrict(secret, { read: { users: [] } })
    const id = await site.newPage(space, {
      // As the wiki renders it for the service account.
      view: '<p>Before.</p><div class="conf-macro" data-macro-name="include"><p>wolverine earns 7000</p></div>',
      storage: `<p>Before.</p>${include('Salaries')}<p>After.</p>`,
    })
    const { html, warnings } = await read(space, id)
    assert.doesNotMatch(html, /wolverine/)
    assert.match(html, /Before\..*After\./s)
    assert.deepEqual(
      warnings?.map(({ code, message }) => [code, message]),
      [['macros_dropped', 'Content of other pages or systems is left out: include']],
    )
  })

  test('it holds no text that a comment includes', async () => {
    const space = await site.newSpace()
    const id = await site.newPage(space, { view: '<p>Page.</p>' })
    await site.control.addComment(id, {
      body: `<p>Look:</p>${include('Salaries')}`,
    })
    const { html, warnings } = await read(space, id, { include_comments: true })
    assert.match(html, /Look:/)
    assert.doesNotMatch(html, /ac:|Salaries/)
    assert.deepEqual(
      warnings?.map(({ code, message }) => [code, message]),
      [['macros_dropped', 'Content of other pages or systems is left out: include']],
    )
  })
})
