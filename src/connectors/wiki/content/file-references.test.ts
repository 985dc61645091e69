import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FileReferences, fileReferencesHere, matchesFile } from './file-references.ts'

const page = { pageId: '7', title: 'Plan & more', spaceKey: 'OPS', home: 'https://w.example/wiki' }
const found = (storage: string) => fileReferencesHere({ storage, page })

const attachment = (name: string, of = '') => `<ri:attachment ri:filename="${name}">${of}</ri:attachment>`
const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`
const macro = (name: string, ...inside: string[]) =>
  `<ac:structured-macro ac:name="${name}">${inside.join('')}</ac:structured-macro>`
const plain = (text: string) => `<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`
const diagram = (name: string) =>
  [name, '.drawio', '.drawio.png', '.png', '.svg'].map((end, at) => (at === 0 ? name : name + end))

const CASES: Record<string, readonly (readonly [storage: string, found: FileReferences])[]> = {
  'links and images': [
    [`<p>none</p>`, {}],
    [`<ac:link>${attachment('a &amp; b.pdf')}</ac:link>`, { '': ['a & b.pdf'] }],
    [
      '<ac:image ac:alt="x"><ri:attachment ri:filename="b.png" ri:version-at-save="3" /></ac:image>',
      { '': ['b.png'] },
    ],
    [
      `<ac:link>${attachment('c.pdf', '<ri:page ri:content-title="Plan &amp; more" />')}</ac:link>`,
      { '': ['c.pdf'] },
    ],
    [
      `<ac:link>${attachment('d.pdf', '<ri:page ri:content-title="Other" />')}</ac:link>`,
      { 'OPS/Other': ['d.pdf'] },
    ],
    [
      `<ac:link>${attachment('e.pdf', '<ri:page ri:content-title="O" ri:space-key="HR" />')}</ac:link>`,
      { 'HR/O': ['e.pdf'] },
    ],
    [
      `<ac:link>${attachment('f.pdf', '<ri:content-entity ri:content-id="99" />')}</ac:link>`,
      { '/99': ['f.pdf'] },
    ],
  ],
  addresses: [
    ['<a href="/wiki/download/attachments/7/a%20b.pdf?version=2">x</a>', { '': ['a b.pdf'] }],
    ['<img src="https://w.example/wiki/download/thumbnails/8/c.png" />', { '/8': ['c.png'] }],
    ['<a href="https://other.example/wiki/download/attachments/7/a.pdf">x</a>', {}],
    [
      '<a href="/wiki/pages/viewpageattachments.action?pageId=7&amp;preview=%2F7%2F55%2Fa.pdf">x</a>',
      { '': ['/file/55'] },
    ],
    ['<a href="/wiki/rest/api/content/7/child/attachment/att55/download">x</a>', { '': ['/file/55'] }],
  ],
  macros: [
    [macro('view-file', parameter('name', attachment('a.pdf'))), { '': ['a.pdf'] }],
    [macro('viewpdf', parameter('name', 'b.pdf')), { '': ['b.pdf'] }],
    [
      macro('multimedia', parameter('name', 'c.mp4'), parameter('page', 'HR:Films')),
      { 'HR/Films': ['c.mp4'] },
    ],
    [macro('gallery', parameter('title', 'G')), { '': ['/images'] }],
    [macro('attachments'), { '': ['/all'] }],
    [
      macro('attachments', parameter('page', '<ri:page ri:content-title="Other" />')),
      { 'OPS/Other': ['/all'] },
    ],
    [macro('drawio', parameter('diagramName', 'Flow')), { '': diagram('Flow') }],
    [
      macro('inc-drawio', parameter('diagramName', 'Flow'), parameter('pageId', '99')),
      { '/99': diagram('Flow') },
    ],
    [
      macro(
        'panel',
        `<ac:rich-text-body>${macro('viewdoc', parameter('name', 'd.docx'))}</ac:rich-text-body>`,
      ),
      { '': ['d.docx'] },
    ],
    [macro('code', plain('[^no.pdf] !no.png!')), {}],
    [
      macro('unmigrated-wiki-markup', plain('see [the plan|^plan.pdf] and !shot.png|width=3!')),
      { '': ['plan.pdf', 'shot.png'] },
    ],
    [macro('markdown', plain('![x](/wiki/download/attachments/7/m.png)')), { '': ['m.png'] }],
  ],
  'the newer editor': [
    [
      '<ac:adf-extension><ac:adf-node type="extension"><ac:adf-attribute key="extension-key">app/env/static/drawio</ac:adf-attribute>' +
        '<ac:adf-attribute key="parameters"><ac:adf-parameter key="diagram-name"><ac:adf-parameter key="value">Map</ac:adf-parameter></ac:adf-parameter></ac:adf-attribute></ac:adf-node></ac:adf-extension>',
      { '': diagram('Map') },
    ],
    [
      '<ac:adf-node type="media"><ac:adf-attribute key="id">0f3e9c1a-7d52-4c11-9a53-6a1c2a1d8f10</ac:adf-attribute></ac:adf-node>',
      { '': ['/media/0f3e9c1a-7d52-4c11-9a53-6a1c2a1d8f10'] },
    ],
  ],
}

for (const [name, cases] of Object.entries(CASES))
  test(`it finds the files in ${name}`, () => {
    for (const [storage, expected] of cases)
      assert.deepEqual(
        found(storage),
        Object.fromEntries(Object.entries(expected).map(([of, files]) => [of, files.toSorted()])),
        storage,
      )
  })

test('it matches files by name, kind and id', () => {
  const file = {
    id: 'att55',
    title: 'Büro.png'.normalize('NFD'),
    version: '1',
    mediaType: 'image/png',
    bytes: 1,
    mediaId: 'm1',
    link: null,
    createdAt: null,
    modifiedAt: null,
  }
  for (const reference of ['Büro.png', '/all', '/images', '/file/55', '/media/m1'])
    assert.equal(matchesFile(new Set([reference.normalize()]), file), true, reference)
  for (const reference of ['büro.png', '/file/5', '/media/m2'])
    assert.equal(matchesFile(new Set([reference]), file), false, reference)
  assert.equal(matchesFile(new Set(['/images']), { ...file, mediaType: 'application/pdf' }), false)
})

test('it reads values in values in linear time', () => {
  const depth = 20_000
  const inside = (text: string) =>
    `${'<ac:adf-parameter key="value">'.repeat(depth)}${text}${'</ac:adf-parameter>'.repeat(depth)}`
  assert.deepEqual(found(inside('&amp;'.repeat(100_000))), {})
  assert.deepEqual(found(macro('view-file', parameter('name', 'a.txt')) + inside('b')), { '': ['a.txt'] })
})
