import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { excerpt, macro, mentionOf, pageRef, taskList } from './storage-words.ts'
import { viewWorld, visibleWords } from './view-world.ts'

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
      assert.deepEqual([visibleWords(shown(root, 'ann')), visibleWords(shown(root, 'ben'))], [ann, ben])
    })

  test('it marks a property report with its query, and shows nothing for an invalid one', () => {
    root.body = { storage: macro('detailssummary', label) }
    assert.match(shown(root), /<table class="metadata-summary-macro[^>]* data-cql="label = &quot;river&quot;/)
    root.body = { storage: macro('contentbylabel', { parameters: { cql: 'label ==' } }) }
    assert.equal(visibleWords(shown(root)), '')
  })

  test('it names people in lists of tasks', () => {
    const talk = add('Talk', taskList([[false, `ask ${mentionOf('ben')}`]]), { space: 'OPS' })
    root.body = { storage: macro('tasks-report-macro', { parameters: { spaces: 'OPS' } }) }
    assert.match(visibleWords(shown(root)), new RegExp(`ask Ben Birch ${talk.title}`))
  })

  test('it lists pages in a restricted folder only to their readers on each site', () => {
    const { page: make, seen: look } = viewWorld()
    const top = make('Top', macro('children'))
    const folder = make('Folder', '', { kind: 'folder', parent: top, secret: true })
    make('Inside', '<p>x</p>', { parent: folder })
    const all = [look(top, 'ann'), look(top, 'ben'), look(top, 'ben', { site: 'dataCenter' })]
    assert.deepEqual(all.map(visibleWords), ['Inside', '', 'Inside'])
  })
})
