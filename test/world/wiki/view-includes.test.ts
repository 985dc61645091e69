import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { grant } from './model/roles.ts'
import { excerpt, excerptInclude, include, macro, pageRef } from './storage-words.ts'
import { viewWorld, visibleWords } from './view-world.ts'

const missing = (name: string) => `Unable to render {${name}} The included page could not be found.`

describe('included text in the simulated wiki', () => {
  test('it includes a page for its readers and shows others an error', () => {
    const { page, seen } = viewWorld()
    page('Plan', '<p>zebra</p>', { secret: true })
    const open = page('Open', `<p>before</p>${include('Plan')}<p>after</p>`)
    assert.equal(visibleWords(seen(open, 'ann')), 'before zebra after')
    assert.equal(visibleWords(seen(open, 'ben')), `before ${missing('include')} after`)
  })

  test('it does not include missing, trashed or archived pages', () => {
    const { page, seen } = viewWorld()
    page('Trashed', '<p>zebra</p>', { status: 'trashed' })
    page('Archived', '<p>zebra</p>', { status: 'archived' })
    for (const title of ['Nowhere', 'Trashed', 'Archived']) {
      const open = page(`Open ${title}`, include(title))
      assert.equal(visibleWords(seen(open)), missing('include'))
    }
  })

  test('it resolves titles in the space of the page unless the link names another', () => {
    const { page, seen } = viewWorld()
    page('Plan', '<p>of ops</p>', { space: 'OPS' })
    const here = page('Here', include('Plan'))
    const there = page('There', include('Plan', 'OPS'))
    assert.equal(visibleWords(seen(here)), missing('include'))
    assert.equal(visibleWords(seen(there)), 'of ops')
    page('Plan', '<p>of eng</p>')
    assert.equal(visibleWords(seen(here)), 'of eng')
  })

  test('it ends a chain at an unreadable page', () => {
    const { page, seen } = viewWorld()
    page('C', '<p>third</p>', { secret: true })
    page('B', `<p>second</p>${include('C')}`)
    const a = page('A', `<p>first</p>${include('B')}`)
    assert.equal(visibleWords(seen(a, 'ann')), 'first second third')
    assert.equal(visibleWords(seen(a, 'ben')), `first second ${missing('include')}`)
  })

  test('it ends a cycle of pages', () => {
    const { page, seen } = viewWorld()
    const a = page('A', `<p>first</p>${include('B')}`)
    page('B', `<p>second</p>${include('A')}`)
    assert.equal(
      visibleWords(seen(a)),
      'first second Unable to render {include} The page is included already.',
    )
    const self = page('Self', `<p>me</p>${include('Self')}`)
    assert.equal(visibleWords(seen(self)), 'me Unable to render {include} The page is included already.')
  })

  test('it resolves links and pictures relative to the included page', () => {
    const { page, seen, attach } = viewWorld()
    const lender = page(
      'Lender',
      '<ac:image><ri:attachment ri:filename="a.png" /></ac:image><ac:link><ri:page ri:content-title="Near" /></ac:link>',
      { space: 'OPS' },
    )
    attach(lender, 'a.png')
    const near = page('Near', '', { space: 'OPS' })
    const open = page('Open', include('Lender', 'OPS'))
    assert.match(seen(open), new RegExp(`data-linked-resource-container-id="${lender.id}"`))
    assert.match(seen(open), new RegExp(`href="/wiki/spaces/OPS/pages/${near.id}"`))
  })

  test('it includes an excerpt by name, or the first, with or without a panel', () => {
    const { page, seen } = viewWorld()
    page(
      'Plan',
      `<p>outside</p>${excerpt('<p>one</p>')}${excerpt('<p>two</p>', { name: 'x', hidden: 'true' })}`,
      { secret: true },
    )
    const first = page('First', excerptInclude('Plan'))
    const named = page('Named', excerptInclude('Plan', { name: 'x', nopanel: true }))
    const wrong = page('Wrong', excerptInclude('Plan', { name: 'y' }))
    assert.equal(visibleWords(seen(first)), 'Plan one')
    assert.match(seen(first), /class="panel\b.*class="panelHeader".*class="panelContent"/)
    assert.equal(visibleWords(seen(named)), 'two')
    assert.ok(!seen(named).includes('panel'))
    assert.match(visibleWords(seen(wrong)), /no such excerpt/)
    for (const each of [first, named, wrong])
      assert.equal(visibleWords(seen(each, 'ben')), missing('excerpt-include'))
  })

  test('it includes a multi-excerpt by name', () => {
    const { page, seen } = viewWorld()
    const named = (name: string) => ({ parameters: { MultiExcerptName: name } })
    page('Plan', macro('multiexcerpt', { ...named('m'), rich: '<p>many</p>' }), { secret: true })
    const open = page(
      'Open',
      macro('multiexcerpt-include', {
        parameters: { MultiExcerptName: 'm', PageWithExcerpt: pageRef('Plan') },
      }),
    )
    assert.equal(visibleWords(seen(open)), 'many')
    assert.equal(visibleWords(seen(open, 'ben')), missing('multiexcerpt-include'))
  })

  test('it resolves pages named in old content', () => {
    const { page, seen } = viewWorld()
    page('Plan', '<p>zebra</p>', { space: 'OPS' })
    const open = page(
      'Open',
      '<ac:macro ac:name="include"><ac:default-parameter>OPS:Plan</ac:default-parameter></ac:macro>',
    )
    assert.equal(visibleWords(seen(open)), 'zebra')
  })

  test('it ignores folders on Data Center', () => {
    const { page, seen } = viewWorld()
    const folder = page('Folder', '', { kind: 'folder', secret: true })
    page('Plan', '<p>zebra</p>', { parent: folder })
    const open = page('Open', include('Plan'))
    assert.equal(visibleWords(seen(open, 'ben')), missing('include'))
    assert.equal(visibleWords(seen(open, 'ben', { site: 'dataCenter' })), 'zebra')
  })

  test('it exports only public text', () => {
    const { page, seen, spaces } = viewWorld()
    page('Plan', '<p>zebra</p>', { space: 'OPS' })
    const open = page('Open', include('Plan', 'OPS'))
    const exported = () => visibleWords(seen(open, 'ann', { representation: 'anonymous_export_view' }))
    assert.equal(exported(), missing('include'))
    spaces.get('OPS')?.permissions.push(...grant('access-class', 'anonymous-users', 'viewer'))
    assert.equal(exported(), 'zebra')
  })
})
