import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { excerpt, macro, mentionOf, pageRef, taskList } from './storage-words.ts'
import { viewWorld, words } from './view-world.ts'

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
      assert.equal(words(html), text)
      if (markup !== undefined) assert.match(html, markup)
    })

  test('it says which macro made what, inline and as a block, and can leave it out', () => {
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
    assert.equal(words(seen(holder, 'ann', { representation: 'export_view' })), words(html))
  })

  test('it writes the headings for a table of contents only into an export', () => {
    holder.body = { storage: `${macro('toc')}<h2>One</h2>` }
    assert.equal(words(seen(holder, 'ann', { representation: 'export_view' })), 'One One')
  })

  test('it shows some text only to those whom a macro names, and some only to others', () => {
    const forUser = { parameters: { user: '<ri:user ri:account-id="ann" />' }, rich: '<p>for Ann</p>' }
    const forGroup = { parameters: { group: 'tree-keepers' }, rich: '<p>not for keepers</p>' }
    holder.body = { storage: `${macro('show-if', forUser)}${macro('hide-if', forGroup)}` }
    assert.equal(words(seen(holder, 'ann')), 'for Ann')
    assert.equal(words(seen(holder, 'ben')), 'not for keepers')
  })
})

describe('the lists and reports of the simulated wiki', () => {
  const { page: add, attach: put, seen: shown } = viewWorld()
  const root = add('Root', '')
  const properties = (value: string) =>
    macro('details', {
      rich: `<table><tbody><tr><th>Owner</th><td>${value}</td></tr></tbody></table>`,
    })
  const body = (name: string) =>
    `${excerpt(`<p>about ${name}</p>`)}${properties(`keeper of ${name}`)}${taskList([
      [false, `mend ${name}`],
      [true, `made ${name}`],
    ])}<ac:adf-extension><ac:adf-node type="decision-item"><ac:adf-content>keep ${name}</ac:adf-content></ac:adf-node></ac:adf-extension>`
  const open = add('Weir', body('weir'), { parent: root, labels: ['river'] })
  const closed = add('Vault', body('vault'), { parent: root, labels: ['river', 'gold'], secret: true })
  add('Below the vault', '<p>x</p>', { parent: closed })
  add('Below the weir', '<p>x</p>', { parent: open })
  add('Elsewhere', '<p>x</p>', { space: 'OPS', labels: ['river'] })
  add('Open news', '<p>open post</p>', { kind: 'blogpost' })
  add('Closed news', '<p>closed post</p>', { kind: 'blogpost', secret: true })
  put(open, 'weir.pdf', 'application/pdf')
  put(closed, 'vault.pdf', 'application/pdf')

  const label = { parameters: { cql: 'label = "river" and space = currentSpace()' } }
  /** What Ann sees, what Ben sees. */
  const reports: [name: string, storage: string, ann: string, ben: string][] = [
    ['children', macro('children'), 'Weir Vault', 'Weir'],
    [
      'children of every depth',
      macro('children', { parameters: { all: 'true' } }),
      'Weir Below the weir Vault Below the vault',
      'Weir Below the weir',
    ],
    [
      'children with excerpts',
      macro('children', { parameters: { excerptType: 'simple', depth: '1' } }),
      'Weir - about weir Vault - about vault',
      'Weir - about weir',
    ],
    [
      'children of a page that not all may read',
      macro('children', { parameters: { page: `<ac:link>${pageRef('Vault')}</ac:link>` } }),
      'Below the vault',
      '',
    ],
    ['contentbylabel', macro('contentbylabel', label), 'Weir Vault', 'Weir'],
    [
      'contentbylabel with excerpts',
      macro('contentbylabel', { parameters: { labels: 'gold', showExcerpt: 'true' } }),
      'Vault about vault',
      '',
    ],
    [
      'detailssummary',
      macro('detailssummary', label),
      'Title Owner Weir keeper of weir Vault keeper of vault',
      'Title Owner Weir keeper of weir',
    ],
    [
      'content-report-table',
      macro('content-report-table', { parameters: { labels: 'river', spaces: 'ENG,OPS' } }),
      'Title Creator Modified Weir Ann Ash 2026-02-03 Vault Ann Ash 2026-02-03 Elsewhere Ann Ash 2026-02-03',
      'Title Creator Modified Weir Ann Ash 2026-02-03 Elsewhere Ann Ash 2026-02-03',
    ],
    [
      'tasks-report-macro',
      macro('tasks-report-macro', { parameters: { spaces: 'ENG' } }),
      'Task Task appears on mend weir Weir mend vault Vault',
      'Task Task appears on mend weir Weir',
    ],
    ['decisionreport', macro('decisionreport'), 'keep weir Weir keep vault Vault', 'keep weir Weir'],
    [
      'recently-updated',
      macro('recently-updated', { parameters: { spaces: 'OPS' } }),
      'Elsewhere Ann Ash',
      'Elsewhere Ann Ash',
    ],
    ['blog-posts', macro('blog-posts'), 'Open news open post Closed news closed post', 'Open news open post'],
    [
      'titles of blog posts',
      macro('blog-posts', { parameters: { content: 'titles' } }),
      'Open news Closed news',
      'Open news',
    ],
    ['space-attachments', macro('space-attachments'), 'weir.pdf vault.pdf', 'weir.pdf'],
    [
      'attachments of another page',
      macro('attachments', { parameters: { page: pageRef('Vault') } }),
      'vault.pdf',
      '',
    ],
    ['index', macro('index'), 'Below the vault Below the weir Root Vault Weir', 'Below the weir Root Weir'],
    ['listlabels', macro('listlabels'), 'river gold', 'river'],
  ]
  for (const [name, storage, ann, ben] of reports)
    test(`it shows in ${name} only what the viewer may read`, () => {
      root.body = { storage }
      assert.deepEqual([words(shown(root, 'ann')), words(shown(root, 'ben'))], [ann, ben])
    })

  test('it marks a report of properties with its query, and finds nothing by a wrong one', () => {
    root.body = { storage: macro('detailssummary', label) }
    assert.match(shown(root), /<table class="metadata-summary-macro[^>]* data-cql="label = &quot;river&quot;/)
    root.body = { storage: macro('contentbylabel', { parameters: { cql: 'label ==' } }) }
    assert.equal(words(shown(root)), '')
  })

  test('it names people in lists of tasks', () => {
    const talk = add('Talk', taskList([[false, `ask ${mentionOf('ben')}`]]), { space: 'OPS' })
    root.body = { storage: macro('tasks-report-macro', { parameters: { spaces: 'OPS' } }) }
    assert.match(words(shown(root)), new RegExp(`ask Ben Birch ${talk.title}`))
  })
})
