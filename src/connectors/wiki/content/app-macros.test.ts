import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { htmlOf } from './storage/rendition.ts'
import { renderStorage } from './storage-format.ts'

/** Macros of apps, which the newer editor stores as extensions. */
const page = { pageId: '7', title: 'Plan', spaceKey: 'OPS', home: 'https://w.example/wiki' }
const rendered = (storage: string) => {
  const { parts, dropped } = renderStorage(storage, page, () => null)
  return { html: htmlOf(parts), dropped: [...dropped] }
}

const attribute = (key: string, value: string) => `<ac:adf-attribute key="${key}">${value}</ac:adf-attribute>`
const adfParameter = (key: string, value: string) =>
  `<ac:adf-parameter key="${key}">${value}</ac:adf-parameter>`
const guestParameters = (inside: string) =>
  attribute('parameters', adfParameter('local-id', 'x1') + adfParameter('guest-params', inside))
const keyOf = (name: string) =>
  attribute('extension-key', `0ab-1/9cd-2/static/${name}`) +
  attribute('extension-type', 'com.atlassian.ecosystem') +
  attribute('text', 'App title')
const content = (inside: string) => `<ac:adf-content>${inside}</ac:adf-content>`
const fallback = '<ac:adf-fallback><p>foreign</p></ac:adf-fallback>'
const node = (type: string, inside: string) => `<ac:adf-node type="${type}">${inside}</ac:adf-node>`
const extension = (inside: string) => `<ac:adf-extension>${inside}</ac:adf-extension>`
const app = (name: string, inside = '', type = 'bodied-extension') =>
  extension(node(type, keyOf(name) + inside))

const TYPES = ['extension', 'bodied-extension', 'inline-extension', 'multi-bodied-extension']

describe('macros of apps', () => {
  for (const name of ['include', 'excerpt-include', 'children', 'jira', 'contentbylabel', 'an-app'])
    test(`${name} leaves only its name in the report, whatever its type`, () => {
      for (const type of TYPES)
        for (const body of [
          extension(node(type, keyOf(name)) + fallback),
          extension(fallback + node(type, keyOf(name))),
          extension(node(type, keyOf(name) + fallback)),
          extension(node(type, fallback + keyOf(name)) + fallback),
        ])
          assert.deepEqual(rendered(`a${body}b`), { html: 'ab', dropped: [name] }, body)
    })

  for (const name of [
    'show-if',
    'hide-if',
    'Show-If',
    'visibility-show-if',
    'show-if-inline',
    'showif',
    'show-to',
  ])
    test(`${name} renders nothing, wherever its key is`, () => {
      const secret = content('<p>secret</p>')
      for (const body of [
        extension(node('bodied-extension', keyOf(name) + secret) + fallback),
        extension(node('bodied-extension', secret + keyOf(name)) + fallback),
        extension(fallback + node('bodied-extension', secret + fallback + keyOf(name))),
        extension(node('bodied-extension', `${secret}${keyOf('panel')}${keyOf(name)}`)),
        extension(
          node(
            'bodied-extension',
            secret + attribute('parameters', adfParameter('extension-id', `a/${name}`)),
          ),
        ),
      ])
        assert.deepEqual(rendered(`a${body}b`), { html: 'ab', dropped: [name.toLowerCase()] }, body)
    })

  test('conditional structured macros have the same names', () => {
    for (const name of [
      'visibility-show-if',
      'showif',
      'show-to',
      'hide-from',
      'builder-show',
      'panel-hide',
    ]) {
      const macro = `<ac:structured-macro ac:name="${name}"><ac:rich-text-body>secret</ac:rich-text-body></ac:structured-macro>`
      assert.deepEqual(rendered(macro), { html: '', dropped: [name] })
    }
  })

  test('a foreign macro has no body, wherever its key is', () => {
    for (const body of [keyOf('include') + content('foreign'), content('foreign') + keyOf('include')])
      assert.deepEqual(rendered(extension(node('bodied-extension', body))), {
        html: '',
        dropped: ['include'],
      })
  })

  test('an unknown macro keeps its title and rich body and nothing else', () => {
    const parameters = guestParameters(adfParameter('title', 'T') + adfParameter('cql', 'label = x'))
    for (const inside of [content('<p>own</p>') + fallback, fallback + content('<p>own</p>')])
      assert.deepEqual(rendered(app('an-app', parameters + inside)), {
        html: '<p>T</p><div><p>own</p></div>',
        dropped: [],
      })
    assert.deepEqual(rendered(app('an-app', parameters, 'extension')), { html: '', dropped: ['an-app'] })
    assert.deepEqual(rendered(extension(node('extension', fallback))), { html: '', dropped: ['extension'] })
  })

  test('an empty body is not replaced by the fallback', () => {
    assert.equal(
      rendered(extension(node('bodied-extension', keyOf('panel') + content('')) + fallback)).html,
      '<div></div>',
    )
  })

  test('every frame of a macro with several bodies is kept', () => {
    const frame = (inside: string) => `<ac:adf-extension-frame>${inside}</ac:adf-extension-frame>`
    assert.equal(
      rendered(app('tabs', content(frame('one') + frame('two')), 'multi-bodied-extension')).html,
      '<div><div>one</div><div>two</div></div>',
    )
    assert.equal(rendered(app('show-if', content(frame('secret')), 'multi-bodied-extension')).html, '')
  })

  test('visible parameters are shown as in structured macros', () => {
    const value = (text: string) => adfParameter('value', text)
    for (const [storage, html] of [
      [
        app('panel', guestParameters(adfParameter('title', 'A &amp; B')) + content('own')),
        '<p>A &amp; B</p><div>own</div>',
      ],
      [
        app('drawio', guestParameters(adfParameter('diagram-name', 'Net')), 'extension'),
        '<span class="status-macro">Net</span>',
      ],
      [
        app(
          'jira',
          attribute('parameters', adfParameter('macro-params', adfParameter('key', value('AB-1')))),
          'extension',
        ),
        '<span class="status-macro">AB-1</span>',
      ],
      [
        app('an-app', `<ac:adf-parameter key="cql">label = x</ac:adf-parameter>${content('own')}`),
        '<div>own</div>',
      ],
    ] as const)
      assert.equal(rendered(storage).html, html, storage)
  })

  test('hidden=true renders nothing, wherever it is', () => {
    const hidden = [
      guestParameters(adfParameter('hidden', 'true')),
      attribute(
        'parameters',
        adfParameter('macro-params', adfParameter('hidden', adfParameter('value', 'TRUE'))),
      ),
      attribute('hidden', 'true'),
    ]
    for (const each of hidden)
      for (const inside of [each + content('secret'), content('secret') + each]) {
        assert.equal(rendered(`a${app('excerpt', inside)}b`).html, 'ab', inside)
        assert.equal(
          rendered(`a${extension(node('bodied-extension', inside + keyOf('details')))}b`).html,
          'ab',
        )
      }
    assert.equal(
      rendered(app('excerpt', guestParameters(adfParameter('hidden', 'false')) + content('own'))).html,
      '<div>own</div>',
    )
  })

  test('macros inside a kept body follow their own rules', () => {
    const include = '<ac:structured-macro ac:name="include"/>'
    assert.deepEqual(rendered(app('an-app', content(`own ${include}${app('show-if', content('secret'))}`))), {
      html: '<div>own </div>',
      dropped: ['include', 'show-if'],
    })
    assert.deepEqual(rendered(app('show-if', content(include))).dropped, ['show-if'])
  })

  test('a fallback of an outer extension shows no copy of a macro inside', () => {
    for (const inside of [app('include'), app('toc', '', 'extension'), app('show-if', content('secret'))]) {
      const body = extension(node('panel', content(inside)) + fallback)
      assert.doesNotMatch(rendered(body).html, /foreign/, body)
    }
  })

  test('the report has the macros whose text is left out, not toc and kept bodies', () => {
    assert.deepEqual(rendered(app('toc', '', 'extension') + app('panel', content('a'))).dropped, [])
    assert.deepEqual(rendered(app('mermaid-cloud', guestParameters('graph'), 'extension')).dropped, [
      'mermaid-cloud',
    ])
  })

  test('a macro without end tags keeps what follows', () => {
    const unclosed = `<ac:adf-extension><ac:adf-node type="bodied-extension">${keyOf('panel')}<ac:adf-content>own`
    assert.match(rendered(`${unclosed}<p>after</p>`).html, /own.*after/s)
    const unclosedKey = `<ac:adf-extension><ac:adf-node type="bodied-extension"><ac:adf-attribute key="extension-key">a/show-if${content('secret')}</ac:adf-node></ac:adf-extension>`
    assert.equal(rendered(`a${unclosedKey}b`).html, 'ab')
  })
})

describe('conditional text in wiki markup', () => {
  const markup = (text: string, name = 'unmigrated-wiki-markup') =>
    `<ac:structured-macro ac:name="${name}"><ac:plain-text-body>${text}</ac:plain-text-body></ac:structured-macro>`
  const textOf = (text: string, name?: string) =>
    rendered(markup(`<![CDATA[${text}]]>`, name)).html.replace(/<[^<>]*>/g, '')

  test('it is left out, with its name in the report', () => {
    for (const name of ['unmigrated-wiki-markup', 'unmigrated-inline-wiki-markup'])
      assert.deepEqual(rendered(markup('<![CDATA[a {show-if:group=hr}secret{show-if} b]]>', name)), {
        html: '<pre><code>a  b</code></pre>',
        dropped: ['show-if'],
      })
  })

  const CASES: Record<string, string> = {
    'h1. A {code}x < y{code} {panel:title=T}B{panel}': 'h1. A {code}x &lt; y{code} {panel:title=T}B{panel}',
    'a{show-if:group=hr}secret': 'a',
    'a{hide-if}secret{hide-if}b': 'ab',
    'a{SHOW-IF:user=x|match=all}secret{Show-if}b': 'ab',
    'a{show-if:group=hr}secret{show-if:user=x}secret{show-if}secret{show-if}b': 'ab',
    'a{show-if:group=hr}secret{hide-if:user=x}secret{show-if}secret{hide-if}b': 'ab',
    'a{show-if:group=hr secret': 'a',
    'a{ show-to:groups=hr }secret{show-to}b': 'ab',
    'a{excerpt:hidden=true|name=x}secret{excerpt}b{excerpt:name=y}own{excerpt}':
      'ab{excerpt:name=y}own{excerpt}',
    'a{details:id=x|hidden = TRUE}secret': 'a',
  }
  for (const [text, expected] of Object.entries(CASES)) test(text, () => assert.equal(textOf(text), expected))

  test('braces may be entities', () => {
    assert.equal(rendered(markup('a &#123;show-if:group=hr&#125;secret')).html, '<pre><code>a </code></pre>')
  })

  test('it reads 4 MB of braces', () => {
    for (const part of ['{', '{show-if', '{show-if:', '{ ', '{a:b}'])
      textOf(part.repeat((4 * 1024 * 1024) / part.length))
  })
})
