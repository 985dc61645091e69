import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cdata, macro, mentionOf, taskList } from './storage-words.ts'
import { viewWorld, visibleWords } from './view-world.ts'

const { world, page, attach, seen } = viewWorld()
const near = page('Near & far', '<p>x</p>')
const post = page('News', '<p>x</p>', { kind: 'blogpost' })
const ops = page('Plan', '<p>x</p>', { space: 'OPS' })
const secret = page('Secret', '<p>x</p>', { secret: true })
attach(secret, 'hidden.png')
attach(ops, 'ops.png')
const userKey = world.people.get('ben')?.userKey

/** The typed body, what a reader sees of it, and what the markup has to hold. */
const cases: [name: string, storage: string, text: string, markup?: RegExp][] = [
  ['plain text and entities', '<p>a&nbsp;b &rsquo; c &lt;d&gt;</p>', 'a b &rsquo; c <d>'],
  [
    'layouts',
    '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>l</p></ac:layout-cell><ac:layout-cell><p>r</p></ac:layout-cell></ac:layout-section></ac:layout>',
    'l r',
    /class="columnLayout two-equal".*class="innerCell"><p>l</,
  ],
  [
    'tables',
    '<table><tbody><tr><th data-highlight-colour="grey">h</th></tr><tr><td colspan="2">d</td></tr></tbody></table>',
    'h d',
    /<div class="table-wrap"><table class="confluenceTable">.*<th data-highlight-colour="grey" class="confluenceTh">.*<td colspan="2" class="confluenceTd">/,
  ],
  ['lists', '<ul><li>a<ol><li>b</li></ol></li></ul>', 'a b', /<ul><li>a<ol><li>b/],
  ['headings', '<h2>One two</h2>', 'One two', /<h2 id="One-two">/],
  [
    'tasks',
    taskList([
      [true, 'done'],
      [false, '<span>open</span>'],
    ]),
    'done open',
    /<li class="checked" data-inline-task-id="1">.*<li data-inline-task-id="2">/,
  ],
  [
    'tasks in the body of a task',
    taskList([[false, `a${taskList([[true, 'b']])}`]]),
    'a b',
    /<ul class="inline-task-list".*<ul class="inline-task-list"/,
  ],
  [
    'tasks in a task',
    `<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>a</ac:task-body>${taskList([[true, 'b']])}</ac:task></ac:task-list>`,
    'a b',
  ],
  ['dates', '<p><time datetime="2026-03-14" /></p>', '14 Mar 2026', /<time datetime="2026-03-14"/],
  ['placeholders', '<p>a<ac:placeholder>type here</ac:placeholder></p>', 'a'],
  [
    'inline comment markers',
    '<p>a <ac:inline-comment-marker ac:ref="r1">b</ac:inline-comment-marker> c</p>',
    'a b c',
    /<span class="inline-comment-marker" data-ref="r1">b</,
  ],
  [
    'emoji',
    '<p><ac:emoticon ac:name="blue-star" ac:emoji-shortname=":x:" ac:emoji-id="1f600" ac:emoji-fallback="😀" /></p>',
    '',
    /data-emoji-fallback="😀"/,
  ],
  ['old emoji', '<p><ac:emoticon ac:name="smile" /></p>', '', /data-emoji-fallback=":smile:"/],

  ['mentions', `<p>${mentionOf('ben')}</p>`, 'Ben Birch', /data-account-id="ben"/],
  ['mentions by key', `<ac:link><ri:user ri:userkey="${userKey}" /></ac:link>`, 'Ben Birch'],
  ['mentions by name', '<ac:link><ri:user ri:username="ben.birch" /></ac:link>', 'Ben Birch'],
  ['mentions of nobody', mentionOf('gone'), 'Unknown user'],
  [
    'links to a page',
    '<ac:link><ri:page ri:content-title="Near &amp; far" /></ac:link>',
    'Near & far',
    new RegExp(`href="/wiki/spaces/ENG/pages/${near.id}"`),
  ],
  [
    'links with words of their own',
    `<ac:link><ri:page ri:content-title="Near &amp; far" /><ac:plain-text-link-body>${cdata('a < b')}</ac:plain-text-link-body></ac:link>`,
    'a < b',
  ],
  [
    'links with rich words',
    '<ac:link><ri:page ri:content-title="Near &amp; far" /><ac:link-body><em>r</em></ac:link-body></ac:link>',
    'r',
    /<em>r<\/em>/,
  ],
  [
    'links to another space',
    '<ac:link><ri:page ri:content-title="Plan" ri:space-key="OPS" /></ac:link>',
    'Plan',
    new RegExp(`data-linked-resource-id="${ops.id}"`),
  ],
  ['links to no page', '<ac:link><ri:page ri:content-title="Gone" /></ac:link>', 'Gone', /createlink/],
  [
    'links to a blog post',
    '<ac:link><ri:blog-post ri:content-title="News" ri:posting-day="2026/02/03" /></ac:link>',
    'News',
    new RegExp(`data-linked-resource-id="${post.id}"`),
  ],
  [
    'links by id',
    `<ac:link><ri:content-entity ri:content-id="${near.id}" /></ac:link>`,
    'Near & far',
    new RegExp(`data-linked-resource-id="${near.id}"`),
  ],
  [
    'links to a space',
    '<ac:link><ri:space ri:space-key="OPS" /></ac:link>',
    'OPS',
    /href="\/wiki\/spaces\/OPS"/,
  ],
  ['links to an anchor', '<ac:link ac:anchor="here" />', 'here', /href="#here"/],
  ['links to a shortcut', '<ac:link><ri:shortcut ri:key="JIRA" ri:parameter="A-1" /></ac:link>', 'A-1'],
  [
    'links to an address',
    '<ac:link><ri:url ri:value="https://x.example/?a=1&amp;b=2" /></ac:link>',
    'https://x.example/?a=1&b=2',
  ],
  [
    'smart links',
    '<p><a href="https://x.example/" data-card-appearance="inline">https://x.example/</a></p>',
    'https://x.example/',
    /data-card-appearance="inline"/,
  ],
  [
    'links to a file',
    '<ac:link><ri:attachment ri:filename="own.pdf" /></ac:link>',
    'own.pdf',
    /data-mime-type="application\/pdf"/,
  ],
  [
    'links to no file',
    '<ac:link><ri:attachment ri:filename="lost.pdf" /></ac:link>',
    'lost.pdf',
    /unknown-attachment/,
  ],

  [
    'pictures',
    '<ac:image ac:alt="An &quot;a&quot;" ac:title="T"><ri:attachment ri:filename="own.png" /></ac:image>',
    '',
    /alt="An &quot;a&quot;" title="T".*data-linked-resource-default-alias="own\.png"/,
  ],
  [
    'captions',
    '<ac:image><ri:attachment ri:filename="own.png" /><ac:caption><p>below</p></ac:caption></ac:image>',
    'below',
  ],
  [
    'pictures of another page',
    '<ac:image><ri:attachment ri:filename="ops.png"><ri:page ri:content-title="Plan" ri:space-key="OPS" /></ri:attachment></ac:image>',
    '',
    new RegExp(`data-linked-resource-container-id="${ops.id}"`),
  ],

  [
    'panels of the new editor',
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>Hi</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>Fallback</p></div></ac:adf-fallback></ac:adf-extension>',
    'Hi',
  ],
  [
    'fallbacks',
    '<ac:adf-extension><ac:adf-node type="new"><ac:adf-attribute key="k">v</ac:adf-attribute></ac:adf-node><ac:adf-fallback><p>Fallback</p></ac:adf-fallback></ac:adf-extension>',
    'Fallback',
  ],
  [
    'decisions',
    '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED</ac:adf-attribute><ac:adf-content>We go</ac:adf-content></ac:adf-node></ac:adf-node></ac:adf-extension>',
    'We go',
    /<ul class="decision-list"><li>We go/,
  ],
  [
    'the source of a synced block',
    '<ac:adf-extension><ac:adf-node type="bodied-sync-block"><ac:adf-attribute key="resource-id">r</ac:adf-attribute><ac:adf-content><p>shared</p></ac:adf-content></ac:adf-node></ac:adf-extension>',
    'shared',
  ],
  [
    'a page that refers to a synced block',
    '<ac:adf-extension><ac:adf-node type="sync-block"><ac:adf-attribute key="resource-id">r</ac:adf-attribute></ac:adf-node></ac:adf-extension>',
    'Sync Block',
  ],
  ['macros inside of a paragraph', `<p>a${macro('info', { rich: '<p>b</p>' })}c</p>`, 'a b c'],
]

describe('rendered storage format of the simulated wiki', () => {
  const holder = page('Holder', '')
  attach(holder, 'own.png')
  attach(holder, 'own.pdf', 'application/pdf')
  for (const [name, storage, text, markup] of cases)
    test(`it shows ${name}`, () => {
      holder.body = { storage }
      const html = seen(holder)
      assert.equal(visibleWords(html), text)
      if (markup !== undefined) assert.match(html, markup)
    })

  test('it hides the file and the address of a page that the viewer may not read', () => {
    holder.body = {
      storage:
        '<ac:image><ri:attachment ri:filename="hidden.png"><ri:page ri:content-title="Secret" /></ri:attachment></ac:image><ac:link><ri:page ri:content-title="Secret" /></ac:link>',
    }
    assert.ok(seen(holder, 'ann').includes(secret.id))
    assert.ok(!seen(holder, 'ben').includes(secret.id))
    assert.match(seen(holder, 'ben'), /placeholder\/unknown-attachment.*createlink/)
  })

  test('it hides the title of a page that is linked by its id alone', () => {
    holder.body = { storage: `<ac:link><ri:content-entity ri:content-id="${secret.id}" /></ac:link>` }
    assert.deepEqual([visibleWords(seen(holder, 'ann')), visibleWords(seen(holder, 'ben'))], ['Secret', ''])
  })

  test('it names people and pages as Data Center does', () => {
    holder.body = {
      storage: `${mentionOf('ben')}<ac:link><ri:page ri:content-title="Near &amp; far" /></ac:link>`,
    }
    const html = seen(holder, 'ann', { site: 'dataCenter' })
    assert.match(html, /data-username="ben\.birch".*>Ben Birch</)
    assert.match(html, new RegExp(`pages/viewpage\\.action\\?pageId=${near.id}`))
    assert.ok(!html.includes('data-account-id'))
  })

  test('it tolerates markup that no editor creates', () => {
    holder.body = { storage: `${'<div>'.repeat(5000)}deep${'<img src=a>'.repeat(1000)}<p` }
    assert.equal(visibleWords(seen(holder)), 'deep')
  })
})
