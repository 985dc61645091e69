import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { excerpt, macro } from './storage-words.ts'
import { viewWorld, visibleWords } from './view-world.ts'

const { world, page, attach, seen } = viewWorld({ jiraSummaries: { 'A-1': 'Mend the weir' } })

const titled = (title: string, rich: string) => ({ parameters: { title }, rich })

/** A macro of a page with one file, and what a reader sees. */
const cases: [name: string, storage: string, text: string, markup?: RegExp][] = [
  ...['info', 'tip', 'note', 'warning', 'panel'].map((name): [string, string, string, RegExp] => [
    name,
    macro(name, titled('Head', '<p>body</p>')),
    'Head body',
    new RegExp(`data-macro-name="${name}"`),
  ]),
  ['a panel without a title', macro('info', { rich: '<p>body</p>' }), 'body'],
  ['expand', macro('expand', titled('More', '<p>inner</p>')), 'More inner', /expand-container/],
  [
    'status',
    `<p>${macro('status', { parameters: { title: 'DONE', colour: 'Green' } })}</p>`,
    'DONE',
    /aui-lozenge-success/,
  ],
  [
    'code',
    macro('code', { parameters: { language: 'js', title: 'a.js' }, plain: 'if (a < b && c) {}' }),
    'a.js if (a < b && c) {}',
    /brush: js.*<pre[^>]*>|<pre[^>]*brush: js/,
  ],
  [
    'code of several sections',
    macro('code', { plain: 'a[b[0]]>c; &nbsp;' }),
    'a[b[0]]>c; &nbsp;',
    /a\[b\[0\]\]&gt;c; &amp;nbsp;</,
  ],
  [
    'code without a section',
    '<ac:structured-macro ac:name="code"><ac:plain-text-body>a &lt; b</ac:plain-text-body></ac:structured-macro>',
    'a < b',
  ],
  [
    'noformat',
    macro('noformat', { parameters: { title: 'Log' }, plain: 'x  y' }),
    'Log x y',
    /<pre>x {2}y<\/pre>/,
  ],
  ['excerpt', excerpt('<p>short</p>'), 'short'],
  ['a hidden excerpt', excerpt('<p>short</p>', { hidden: 'true' }), ''],
  ['details', macro('details', { rich: '<p>props</p>' }), 'props'],
  ['hidden details', macro('details', { parameters: { hidden: 'true' }, rich: '<p>props</p>' }), ''],
  [
    'multiexcerpt',
    macro('multiexcerpt', { parameters: { MultiExcerptName: 'm' }, rich: '<p>many</p>' }),
    'many',
  ],
  [
    'section and column',
    macro('section', { rich: macro('column', { parameters: { width: '50%' }, rich: '<p>c</p>' }) }),
    'c',
    /sectionMacro.*columnMacro/,
  ],
  ['toc', `${macro('toc')}<h2>One</h2>`, 'One', /toc-macro/],
  ['toc-zone', macro('toc-zone', { rich: '<h2>Zone</h2>' }), 'Zone'],
  ['anchor', `<p>${macro('anchor', { parameters: { '': 'here' } })}</p>`, '', /id="here"/],
  ['markdown', macro('markdown', { plain: '# A\n\nb' }), '# A b', /<p># A<\/p><p>b<\/p>/],
  ['mermaid', macro('mermaid', { plain: 'a-->b' }), 'a-->b'],
  ['plantuml', macro('plantuml', { plain: 'a -> b' }), 'a -> b'],
  ['html', macro('html', { plain: '<b>bold</b>' }), 'bold', /<b>bold<\/b>/],
  ['roadmap', macro('roadmap', { parameters: { title: 'Road', source: 'x' } }), 'Road'],
  [
    'an old macro',
    '<ac:macro ac:name="info"><ac:parameter ac:name="title">T</ac:parameter><ac:rich-text-body><p>b</p></ac:rich-text-body></ac:macro>',
    'T b',
  ],
  [
    'an unknown macro',
    macro('of-an-app', { parameters: { secret: 'INLINE' }, rich: '<p>kept</p>' }),
    'Unknown macro: {of-an-app} kept',
    /wysiwyg-unknown-macro/,
  ],

  ['jira', `<p>${macro('jira', { parameters: { key: 'A-1', serverId: 's' } })}</p>`, 'A-1 - Mend the weir'],
  ['a jira query', macro('jira', { parameters: { jqlQuery: 'project = A' } }), 'A-1 - Mend the weir'],
  [
    'widget',
    macro('widget', { parameters: { url: '<ri:url ri:value="https://v.example/" />' } }),
    '',
    /<iframe src="https:\/\/v\.example\/"/,
  ],
  ['iframe', macro('iframe', { parameters: { src: 'https://v.example/' } }), '', /<iframe src=/],
  [
    'rss',
    macro('rss', { parameters: { url: '<ri:url ri:value="https://v.example/" />' } }),
    'Feed Text from the web',
  ],
  ['drawio', macro('drawio', { parameters: { diagramName: 'own', pageId: '1' } }), '', /alt="own".*own\.png/],
  ['gliffy without a picture', macro('gliffy', { parameters: { name: 'Sketch' } }), 'Sketch'],
  [
    'view-file',
    macro('view-file', { parameters: { name: '<ri:attachment ri:filename="own.png" />' } }),
    'own.png',
  ],
  ['attachments', macro('attachments'), 'own.png'],
  ['gallery', macro('gallery'), '', /own\.png/],
  ['profile', macro('profile', { parameters: { user: '<ri:user ri:account-id="ben" />' } }), 'Ben Birch'],
  ['contributors', `<p>${macro('contributors')}</p>`, 'Ann Ash'],
  ['userlister', macro('userlister', { parameters: { groups: 'tree-keepers' } }), 'Ann Ash'],
  ['change-history', macro('change-history'), 'Version 1 Ann Ash 2026-02-03'],
  ['pagetree', macro('pagetree'), ''],
  ['livesearch', macro('livesearch'), ''],
]

describe('the macros of the simulated wiki', () => {
  const holder = page('Holder', '')
  attach(holder, 'own.png')
  for (const [name, storage, text, markup] of cases)
    test(`it shows ${name}`, () => {
      holder.body = { storage }
      const html = seen(holder)
      assert.equal(visibleWords(html), text)
      if (markup !== undefined) assert.match(html, markup)
    })

  test('it marks the output of macros, inline and as a block, and can omit the marks', () => {
    holder.body = {
      storage: `<p>${macro('status', { id: 'm1', parameters: { title: 'DONE' } })}</p>${macro('excerpt', { id: 'm2', rich: '<p>x</p>' })}${macro('info', { rich: '<p>y</p>' })}`,
    }
    const html = seen(holder)
    assert.match(
      html,
      /<span class="status-macro [^"]*conf-macro output-inline" data-hasbody="false" data-macro-name="status" data-macro-id="m1">/,
    )
    assert.match(
      html,
      /<div class="conf-macro output-block" data-hasbody="true" data-macro-name="excerpt" data-macro-id="m2">/,
    )
    assert.match(
      html,
      /<div class="confluence-information-macro [^"]* conf-macro output-block" data-hasbody="true"/,
    )
    const onDataCenter = seen(holder, 'ann', { site: 'dataCenter' })
    assert.ok(onDataCenter.includes('data-macro-name') && !onDataCenter.includes('data-macro-id'))
    const plain = (text: string) => assert.ok(!/conf-macro|data-macro/.test(text), text)
    plain(seen(holder, 'ann', { representation: 'export_view' }))
    world.settings.macroWrappers = false
    plain(seen(holder))
    world.settings.macroWrappers = true
    assert.equal(visibleWords(seen(holder, 'ann', { representation: 'export_view' })), visibleWords(html))
  })

  test('it writes the headings for a table of contents only into an export', () => {
    holder.body = { storage: `${macro('toc')}<h2>One</h2>` }
    assert.equal(visibleWords(seen(holder, 'ann', { representation: 'export_view' })), 'One One')
  })

  test('it applies show-if and hide-if macros', () => {
    const forUser = { parameters: { user: '<ri:user ri:account-id="ann" />' }, rich: '<p>for Ann</p>' }
    const forGroup = { parameters: { group: 'tree-keepers' }, rich: '<p>not for keepers</p>' }
    holder.body = { storage: `${macro('show-if', forUser)}${macro('hide-if', forGroup)}` }
    assert.equal(visibleWords(seen(holder, 'ann')), 'for Ann')
    assert.equal(visibleWords(seen(holder, 'ben')), 'not for keepers')
  })

  test('it applies them as macros of an app and in wiki markup', () => {
    const app = (name: string, inside: string) =>
      `<ac:adf-extension><ac:adf-node type="bodied-extension"><ac:adf-attribute key="extension-key">a/e/static/${name}</ac:adf-attribute>${inside}</ac:adf-node><ac:adf-fallback>Output</ac:adf-fallback></ac:adf-extension>`
    const group =
      '<ac:adf-attribute key="parameters"><ac:adf-parameter key="group">tree-keepers</ac:adf-parameter></ac:adf-attribute>'
    const markup = macro('unmigrated-wiki-markup', {
      plain: 'typed {hide-if:group=tree-keepers}hidden{hide-if} text',
    })
    const body = '<ac:adf-content><p>body</p></ac:adf-content>'
    holder.body = { storage: app('show-if', group + body) + app('an-app', body) + markup }
    assert.equal(visibleWords(seen(holder, 'ann')), 'body body Output typed text')
    assert.equal(visibleWords(seen(holder, 'ben')), 'body Output typed hidden text')
  })
})
