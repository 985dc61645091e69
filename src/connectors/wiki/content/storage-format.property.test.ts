import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { htmlOf } from './storage/rendition.ts'
import { renderStorage } from './storage-format.ts'

const page = { pageId: '7', title: 'Plan', spaceKey: 'OPS', home: 'https://w.example/wiki' }
const render = (storage: string) => htmlOf(renderStorage(storage, page, () => null).parts)
const textOf = (storage: string) =>
  render(storage)
    .replace(/<[^<>]*>/g, ' ')
    .trim()

const appKey = (name: string) => `<ac:adf-attribute key="extension-key">a/b/static/${name}</ac:adf-attribute>`
const APP = '<ac:adf-extension><ac:adf-node type="bodied-extension">'
const APP_END = '</ac:adf-node></ac:adf-extension>'

/** Elements whose content is kept, each with a hole for it. */
const KEPT = [
  ['<p>', '</p>'],
  ['<ul><li>', '</li></ul>'],
  ['<table><tbody><tr><td>', '</td></tr></tbody></table>'],
  ['<ac:layout><ac:layout-section><ac:layout-cell>', '</ac:layout-cell></ac:layout-section></ac:layout>'],
  ['<ac:structured-macro ac:name="info"><ac:rich-text-body>', '</ac:rich-text-body></ac:structured-macro>'],
  ['<ac:structured-macro ac:name="app"><ac:rich-text-body>', '</ac:rich-text-body></ac:structured-macro>'],
  [
    '<ac:task-list><ac:task><ac:task-status>complete</ac:task-status><ac:task-body>',
    '</ac:task-body></ac:task></ac:task-list>',
  ],
  ['<ac:link><ri:page ri:content-title="T"/><ac:link-body>', '</ac:link-body></ac:link>'],
  ['<ac:inline-comment-marker ac:ref="r">', '</ac:inline-comment-marker>'],
  [
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content>',
    '</ac:adf-content></ac:adf-node></ac:adf-extension>',
  ],
  ['<ac:adf-extension><ac:adf-fallback>', '</ac:adf-fallback></ac:adf-extension>'],
  ['<ac:image><ri:attachment ri:filename="a.png"/><ac:caption>', '</ac:caption></ac:image>'],
  [`${APP}${appKey('panel')}<ac:adf-content>`, `</ac:adf-content>${APP_END}`],
  [`${APP}<ac:adf-content>`, `</ac:adf-content>${appKey('an-app')}${APP_END}`],
  [
    `${APP}${appKey('tabs')}<ac:adf-content><ac:adf-extension-frame>`,
    `</ac:adf-extension-frame></ac:adf-content>${APP_END}`,
  ],
] as const
const DROPPED = [
  [
    '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">',
    '</ac:parameter></ac:structured-macro>',
  ],
  [
    '<ac:structured-macro ac:name="hide-if"><ac:rich-text-body>',
    '</ac:rich-text-body></ac:structured-macro>',
  ],
  [
    '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="cql">',
    '</ac:parameter></ac:structured-macro>',
  ],
  [
    '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="cql"><p>',
    '</p></ac:parameter></ac:structured-macro>',
  ],
  [
    '<ac:adf-extension><ac:adf-fallback>',
    '</ac:adf-fallback><ac:adf-node type="sync-block"/></ac:adf-extension>',
  ],
  [
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content><ac:adf-node type="sync-block"/></ac:adf-content></ac:adf-node><ac:adf-fallback>',
    '</ac:adf-fallback></ac:adf-extension>',
  ],
  ['<ac:placeholder>', '</ac:placeholder>'],
  [`${APP}${appKey('show-if')}<ac:adf-content>`, `</ac:adf-content>${APP_END}`],
  [`${APP}<ac:adf-content>`, `</ac:adf-content>${appKey('hide-if')}${APP_END}`],
  [`${APP}<ac:adf-content>`, `</ac:adf-content>${appKey('include')}${APP_END}`],
  [`${APP}${appKey('an-app')}<ac:adf-fallback>`, `</ac:adf-fallback>${APP_END}`],
  [
    '<ac:adf-extension><ac:adf-fallback>',
    `</ac:adf-fallback><ac:adf-node type="extension">${appKey('an-app')}${APP_END}`,
  ],
  [
    `${APP}${appKey('an-app')}<ac:adf-attribute key="parameters"><ac:adf-parameter key="title">`,
    `</ac:adf-parameter></ac:adf-attribute>${APP_END}`,
  ],
  [
    `${APP}${appKey('excerpt')}<ac:adf-content>`,
    `</ac:adf-content><ac:adf-attribute key="parameters"><ac:adf-parameter key="hidden">true</ac:adf-parameter></ac:adf-attribute>${APP_END}`,
  ],
  [
    '<ac:structured-macro ac:name="unmigrated-wiki-markup"><ac:plain-text-body>{show-if:group=x}',
    '{show-if}</ac:plain-text-body></ac:structured-macro>',
  ],
] as const

type Body = { storage: string; own: string[]; foreign: string[] }
let words = 0
const word = (kind: string) => `${kind}${(++words).toString(36)}z`
const leaf = fc.constantFrom('own', 'foreign').map((kind): Body => {
  const made = word(kind)
  if (kind === 'own') return { storage: ` ${made} `, own: [made], foreign: [] }
  const [open, close] = DROPPED[words % DROPPED.length]!
  return { storage: `${open}${made}${close}`, own: [], foreign: [made] }
})
const body = fc.letrec<{ body: Body }>((tie) => ({
  body: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.tuple(fc.constantFrom(...KEPT), fc.array(tie('body'), { maxLength: 4 })).map(
      ([[open, close], inside]): Body => ({
        storage: `${open}${inside.map(({ storage }) => storage).join('')}${close}`,
        own: inside.flatMap(({ own }) => own),
        foreign: inside.flatMap(({ foreign }) => foreign),
      }),
    ),
  ),
})).body

test('it keeps every own word and no foreign one, however elements are nested', () => {
  fc.assert(
    fc.property(body, ({ storage, own, foreign }) => {
      const text = textOf(storage)
      for (const each of own) assert.ok(text.includes(each), `${each} is lost: ${storage}`)
      for (const each of foreign) assert.ok(!text.includes(each), `${each} is shown: ${storage}`)
    }),
    { numRuns: 500 },
  )
})

test('it keeps every own word if end tags are missing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...KEPT), { maxLength: 12 }),
      fc.infiniteStream(fc.boolean()),
      (all, cut) => {
        const own: string[] = []
        const storage = all.map(([open, close]) => {
          own.push(word('own'), word('own'))
          return `${open} ${own.at(-2)} ${cut.next().value ? close : ''} ${own.at(-1)} `
        })
        const text = textOf(storage.join(''))
        for (const each of own) assert.ok(text.includes(each), `${each} is lost: ${storage.join('')}`)
      },
    ),
    { numRuns: 500 },
  )
})

const SOUP = [
  ...KEPT.flat(),
  ...DROPPED.flat(),
  ...[
    '<',
    '>',
    '&',
    '"',
    "'",
    '</',
    '<!--',
    '-->',
    '<![CDATA[',
    ']]>',
    '<?',
    '&nbsp;',
    '&#0;',
    '\u0000',
    '\ud800',
  ],
  ...[
    '<ac:plain-text-body>',
    '<ac:parameter ac:name="title">',
    '<ac:structured-macro ac:name="code">',
    '<a href="',
  ],
]

test('it accepts any text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...SOUP), fc.string({ maxLength: 5 })), { maxLength: 60 }),
      (pieces) => {
        assert.equal(typeof render(pieces.join('')), 'string')
      },
    ),
    { numRuns: 1000 },
  )
})

/** No time is measured: a non-linear reader exceeds the limit of the test. */
test('it reads 20 MB and 10,000 nested elements of every kind, with and without end tags', () => {
  for (const [open, close] of [...KEPT, ...DROPPED]) {
    assert.match(textOf(`start ${open.repeat(10_000)}x${close.repeat(10_000)} end`), /^start\b.*\bend$/s)
    render(open.repeat(10_000))
  }
  const size = 20 * 1024 * 1024
  for (const part of ['<ac:structured-macro ac:name="info"><ac:rich-text-body>', '<b>x</b>', '<a href="'])
    render(part.repeat(size / part.length))
})
