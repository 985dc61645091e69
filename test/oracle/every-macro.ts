/** Storage format of every kind, each piece with unique words. `at` keeps the words of pages apart. */
export type MacroPosition = {
  at: number
  person: string
  userKey: string
  target: string
  space: string
  file: string
}

type Piece = (place: MacroPosition) => string

const macro = (name: string, parameters: string, body = '') =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1" ac:macro-id="m-${name}">${parameters}${body}</ac:structured-macro>`
const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`
const rich = (inner: string) => `<ac:rich-text-body>${inner}</ac:rich-text-body>`
const plain = (inner: string) => `<ac:plain-text-body><![CDATA[${inner}]]></ac:plain-text-body>`
const adfParameter = (key: string, value: string) =>
  `<ac:adf-parameter key="${key}">${value}</ac:adf-parameter>`
/** A macro of an app, with a fallback that holds other text. */
const app = (name: string, { type = 'bodied-extension', parameters = '', body = '' } = {}) =>
  `<ac:adf-extension><ac:adf-node type="${type}"><ac:adf-attribute key="extension-key">a1/e1/static/${name}</ac:adf-attribute><ac:adf-attribute key="extension-type">com.atlassian.ecosystem</ac:adf-attribute><ac:adf-attribute key="parameters">${adfParameter('local-id', 'l1')}${adfParameter('guest-params', parameters)}</ac:adf-attribute><ac:adf-attribute key="text">App title</ac:adf-attribute>${body && `<ac:adf-content>${body}</ac:adf-content>`}</ac:adf-node><ac:adf-fallback><p>fallbackwords of an app</p></ac:adf-fallback></ac:adf-extension>`
const page = ({ target, space }: MacroPosition) =>
  `<ri:page ri:content-title="${target}" ri:space-key="${space}" />`

export const OWN_PIECES: Record<string, Piece> = {
  paragraph: ({ at }) =>
    `<p>Plain words ${at} with <strong>weight</strong>, <em>stress</em> and&nbsp;space &rsquo;quoted&rsquo;.</p>`,
  heading: ({ at }) => `<h2>Heading of ${at}</h2><p>below</p>`,
  lists: () =>
    '<ul><li>first point<ul><li>inner point</li></ul></li><li>second point</li></ul><ol><li>step one</li></ol>',
  table: ({ at }) =>
    `<table data-layout="default"><tbody><tr><th><p>Name</p></th><th>Value</th></tr><tr><td rowspan="2">left${at}</td><td>right</td></tr><tr><td data-highlight-colour="#fff">lower</td></tr></tbody></table>`,
  layout: () =>
    '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>left cell</p></ac:layout-cell><ac:layout-cell><p>right cell</p></ac:layout-cell></ac:layout-section></ac:layout>',
  columns: () =>
    macro('section', '', rich(macro('column', parameter('width', '50%'), rich('<p>column text</p>')))),
  code: ({ at }) =>
    macro(
      'code',
      parameter('language', 'sql') + parameter('title', 'Query title'),
      plain(`select ${at} from "t" where a < b && c > d`),
    ),
  'code in two parts': () =>
    macro('code', '', '<ac:plain-text-body><![CDATA[x = a]]]]><![CDATA[>b]]></ac:plain-text-body>'),
  noformat: () => macro('noformat', '', plain('as  it   is')),
  info: () => macro('info', parameter('title', 'Info title'), rich('<p>info body</p>')),
  tip: () => macro('tip', '', rich('<p>tip body</p>')),
  note: () => macro('note', parameter('icon', 'false'), rich('<p>note body</p>')),
  warning: () => macro('warning', '', rich('<p>warning body</p>')),
  panel: () =>
    macro(
      'panel',
      parameter('title', 'Panel title') + parameter('bgColor', '#eee'),
      rich('<p>panel body</p>'),
    ),
  expand: () => macro('expand', parameter('title', 'Expand title'), rich('<p>expanded body</p>')),
  status: () =>
    `<p>State ${macro('status', parameter('title', 'IN PROGRESS') + parameter('colour', 'Yellow'))} now</p>`,
  excerpt: () => macro('excerpt', parameter('name', 'n1'), rich('<p>excerpt body</p>')),
  'hidden excerpt': () => macro('excerpt', parameter('hidden', 'true'), rich('<p>hiddenexcerpt</p>')),
  details: () =>
    macro(
      'details',
      parameter('id', 'props'),
      rich('<table><tbody><tr><th>Owner</th><td>platform team</td></tr></tbody></table>'),
    ),
  'hidden details': () => macro('details', parameter('hidden', 'true'), rich('<p>hiddendetails</p>')),
  date: () => '<p>Due <time datetime="2026-03-04" /> at noon</p>',
  emoji: () =>
    '<p>Fine <ac:emoticon ac:name="blue-star" ac:emoji-shortname=":rocket:" ac:emoji-id="1f680" ac:emoji-fallback="🚀" /> launch</p>',
  mention: ({ person, userKey }) =>
    `<p>Ask <ac:link><ri:user ri:account-id="${person}" ri:userkey="${userKey}" /></ac:link> first</p>`,
  'link with words': (place) =>
    `<p>See <ac:link>${page(place)}<ac:plain-text-link-body><![CDATA[the plan]]></ac:plain-text-link-body></ac:link> soon</p>`,
  'link with markup': (place) =>
    `<p>See <ac:link>${page(place)}<ac:link-body>the <strong>bold</strong> plan</ac:link-body></ac:link> later</p>`,
  'link without words': (place) => `<p>See <ac:link>${page(place)}</ac:link> today</p>`,
  'link to an anchor': () =>
    '<p>Jump <ac:link ac:anchor="top"><ac:plain-text-link-body><![CDATA[to the top]]></ac:plain-text-link-body></ac:link> here</p>',
  'link to a file': ({ file }) =>
    `<p>Open <ac:link><ri:attachment ri:filename="${file}" /></ac:link> please</p>`,
  'outer link': () => '<p>Read <a href="https://example.org/x">the manual</a> twice</p>',
  tasks: () =>
    '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-uuid>u1</ac:task-uuid><ac:task-status>complete</ac:task-status><ac:task-body>task done <span class="placeholder-inline-tasks">already</span></ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>task open</ac:task-body></ac:task></ac:task-list>',
  'inline comment': () =>
    '<p>before <ac:inline-comment-marker ac:ref="r1">marked words</ac:inline-comment-marker> after</p>',
  placeholder: () => '<p>typed <ac:placeholder>hint for writers</ac:placeholder> text</p>',
  'adf panel': () =>
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>adf panel body</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div class="panel"><p>adf panel body</p></div></ac:adf-fallback></ac:adf-extension>',
  decisions: () =>
    '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-attribute key="local-id">d</ac:adf-attribute><ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED</ac:adf-attribute><ac:adf-content>we decided this</ac:adf-content></ac:adf-node></ac:adf-node><ac:adf-fallback><ul class="decision-list"><li>we decided this</li></ul></ac:adf-fallback></ac:adf-extension>',
  image: ({ file }) =>
    `<ac:image ac:alt="picture words" ac:width="100"><ri:attachment ri:filename="${file}" /><ac:caption><p>caption words</p></ac:caption></ac:image>`,
  'unknown macro': () =>
    macro('company-box', parameter('colour', 'red'), rich('<p>kept inside an unknown macro</p>')),
  'app panel': () =>
    app('panel', { parameters: adfParameter('title', 'App panel title'), body: '<p>app panel body</p>' }),
  'app excerpt': () => app('excerpt', { body: '<p>app excerpt body</p>' }),
  'hidden app excerpt': () =>
    app('excerpt', { parameters: adfParameter('hidden', 'true'), body: '<p>hiddenappexcerpt</p>' }),
  'app with a body': () => app('company-box', { body: '<p>kept inside an app</p>' }),
  'app with tabs': () =>
    app('tabs', {
      type: 'multi-bodied-extension',
      body: '<ac:adf-extension-frame><p>first tab</p></ac:adf-extension-frame><ac:adf-extension-frame><p>second tab</p></ac:adf-extension-frame>',
    }),
  'app in a line': () => `<p>before ${app('company-badge', { type: 'inline-extension' })} after</p>`,
  'wiki markup': () => macro('unmigrated-wiki-markup', '', plain('h1. typed {color:red}markup{color}')),
  contents: () => macro('toc', parameter('maxLevel', '2')),
  anchor: () => `<p>${macro('anchor', parameter('', 'place'))}after the anchor</p>`,
  quote: () => '<blockquote><p>quoted words</p></blockquote><hr /><pre>preformatted words</pre>',
  entities: () => '<p>Tom &amp; Ann &lt;ann@example.org&gt; &eacute;t&eacute; &#8364;5 &hellip;</p>',
}

/** None of these words belong to the page. */
export const FOREIGN_PIECES: Record<string, Piece> = {
  include: (place) => macro('include', parameter('', `<ac:link>${page(place)}</ac:link>`)),
  'excerpt-include': (place) => macro('excerpt-include', parameter('', `<ac:link>${page(place)}</ac:link>`)),
  children: () => macro('children', parameter('all', 'true')),
  contentbylabel: () => macro('contentbylabel', parameter('cql', 'label = &quot;shown&quot;')),
  detailssummary: () => macro('detailssummary', parameter('cql', 'label = &quot;shown&quot;')),
  'recently-updated': () => macro('recently-updated', parameter('max', '5')),
  'tasks-report-macro': ({ space }) => macro('tasks-report-macro', parameter('spaces', space)),
  'show-if': () => macro('show-if', parameter('group', 'someone'), rich('<p>shownwords</p>')),
  'hide-if': () => macro('hide-if', parameter('group', 'someone'), rich('<p>hiddenwords</p>')),
  'app include': ({ target, space }) =>
    app('include', { type: 'extension', parameters: adfParameter('page', `${space}:${target}`) }),
  'app hide-if': () =>
    app('hide-if', { parameters: adfParameter('group', 'someone'), body: '<p>hiddenapp</p>' }),
  'app report': () => app('company-report', { type: 'extension' }),
  'hide-if in wiki markup': () =>
    macro('unmigrated-wiki-markup', '', plain('{hide-if:group=someone}hiddenmarkup{hide-if}')),
}
