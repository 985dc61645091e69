import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { htmlOf } from './storage/rendition.ts'
import { renderStorage } from './storage-format.ts'

const page = { pageId: '7', title: 'Plan & more', spaceKey: 'OPS', home: 'https://w.example/wiki' }
const NAMES: Record<string, string> = { 'account:a1': 'Ann <Lee>', 'key:k1': 'Ben', 'username:cy': 'Cy' }
const rendered = (storage: string) => {
  const { parts, dropped } = renderStorage(storage, page, ({ by, id }) => NAMES[`${by}:${id}`] ?? null)
  return { html: htmlOf(parts), dropped: [...dropped] }
}
const html = (storage: string) => rendered(storage).html

const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`
const macro = (name: string, inside = '') =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1" ac:macro-id="m1">${inside}</ac:structured-macro>`
const rich = (inside: string) => `<ac:rich-text-body>${inside}</ac:rich-text-body>`
const plain = (inside: string) => `<ac:plain-text-body>${inside}</ac:plain-text-body>`
const link = (target: string, inside = '') => `<ac:link>${target}${inside}</ac:link>`

/** Storage → HTML. */
const CASES: Record<string, readonly (readonly [storage: string, html: string])[]> = {
  'text and entities': [
    ['<p>a &lt; b &amp; &rsquo;c&nbsp;d &sbquo;</p>', '<p>a &lt; b &amp; &rsquo;c&nbsp;d &sbquo;</p>'],
    ['<p>&unknown; a & b</p>', '<p>&unknown; a & b</p>'],
    ['<p class="auto-cursor-target"><br /></p>', '<p class="auto-cursor-target"><br></p>'],
    ['a<script>x()</script><style>p{}</style><textarea>b</textarea>', 'ab'],
  ],
  tables: [
    [
      '<table><tbody><tr><th colspan="2" data-highlight-colour="red">H</th></tr><tr><td rowspan="3">a</td></tr></tbody></table>',
      '<table><tbody><tr><th colspan="2">H</th></tr><tr><td rowspan="3">a</td></tr></tbody></table>',
    ],
  ],
  layouts: [
    [
      '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>a</p></ac:layout-cell></ac:layout-section></ac:layout>',
      '<div><div><div><p>a</p></div></div></div>',
    ],
    [macro('section', rich(macro('column', rich('<p>a</p>')))), '<div><div><p>a</p></div></div>'],
  ],
  'task lists': [
    [
      '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-uuid>u-1</ac:task-uuid><ac:task-status>complete</ac:task-status><ac:task-body>Done</ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Open<ac:task-list><ac:task><ac:task-status>complete</ac:task-status><ac:task-body>Inner</ac:task-body></ac:task></ac:task-list></ac:task-body></ac:task></ac:task-list>',
      '<ul><li data-inline-task-id="" class="checked">Done</li><li data-inline-task-id="">Open<ul><li data-inline-task-id="" class="checked">Inner</li></ul></li></ul>',
    ],
    [
      '<ac:task-list><ac:task><ac:task-status>complete</ac:task-status><ac:task-body>a</ac:task-body><ac:task-list><ac:task><ac:task-body>b</ac:task-body></ac:task></ac:task-list></ac:task></ac:task-list>',
      '<ul><li data-inline-task-id="" class="checked">a<ul><li data-inline-task-id="">b</li></ul></li></ul>',
    ],
    [
      '<ac:task-list><ac:task>no body<ac:task-status>complete</ac:task-status></ac:task></ac:task-list>',
      '<ul>no body</ul>',
    ],
  ],
  'numbered lists': [
    ['<ol start="3" type="a"><li value="5">a</li></ol>', '<ol start="3" type="a"><li value="5">a</li></ol>'],
  ],
  code: [
    [
      macro(
        'code',
        parameter('title', 'A &amp; B') + parameter('language', 'Java') + plain('<![CDATA[a<b && c]]>'),
      ),
      '<p>A &amp; B</p><pre><code class="language-java">a&lt;b &amp;&amp; c</code></pre>',
    ],
    [macro('code', plain('<![CDATA[a]]]]><![CDATA[>b]]>')), '<pre><code>a]]&gt;b</code></pre>'],
    [macro('noformat', plain('a &lt;b&gt; c')), '<pre><code>a &lt;b&gt; c</code></pre>'],
    [macro('code', parameter('language', '"><b>') + plain('<![CDATA[x]]>')), '<pre><code>x</code></pre>'],
    [
      '<ac:macro ac:name="code"><ac:default-parameter>sql</ac:default-parameter><ac:plain-text-body>x</ac:plain-text-body></ac:macro>',
      '<pre><code class="language-sql">x</code></pre>',
    ],
    [macro('mermaid', plain('<![CDATA[graph TD]]>')), '<pre><code>graph TD</code></pre>'],
    [macro('plantuml', plain('<![CDATA[A -> B]]>')), '<pre><code>A -&gt; B</code></pre>'],
    ...['plantuml-cloud', 'swagger-open-api', 'paste-code-macro', 'an-app'].map(
      (name) => [macro(name, plain('<![CDATA[a < b]]>')), '<pre><code>a &lt; b</code></pre>'] as const,
    ),
    [
      macro('an-app', parameter('language', 'sql') + plain('<![CDATA[select 1]]>')),
      '<pre><code class="language-sql">select 1</code></pre>',
    ],
    [macro('style', plain('<![CDATA[p { color: red }]]>')), ''],
  ],
  formulae: [
    [
      `<p>is ${macro('mathinline', plain('<![CDATA[a<b]]>'))}.</p>`,
      '<p>is <math><annotation encoding="application/x-tex">a&lt;b</annotation></math>.</p>',
    ],
    [
      macro('mathinline', parameter('body', 'a &amp; b')),
      '<math><annotation encoding="application/x-tex">a &amp; b</annotation></math>',
    ],
    [
      macro('mathblock', parameter('anchor', 'x1') + plain('<![CDATA[\\frac12]]>')),
      '<div><math><annotation encoding="application/x-tex">\\frac12</annotation></math></div>',
    ],
  ],
  'markdown and html': [
    [
      macro('markdown', plain('<![CDATA[**big** [a](https://x.example)]]>')),
      '<div><p>big <a href="https://x.example">a</a></p></div>',
    ],
    [
      macro('html', plain('<![CDATA[<p>a<b>b</p><script>s</script><img src="x" alt="cat">]]>')),
      '<div><p>a<b>b</b></p><img alt="cat"></div>',
    ],
    [
      macro('html', plain('<![CDATA[<div style="display:none"><p>hid</div>SEEN</p>]]>')),
      '<div><div style="display:none"><p>hid</p></div>SEEN</div>',
    ],
    [
      macro('html', plain('<![CDATA[<ul hidden><li>a<li>b</ul>TAIL<b>c</i></b>]]>')),
      '<div><ul hidden=""><li>a<li>b</li></li></ul>TAIL<b>c</b></div>',
    ],
  ],
  panels: [
    [
      macro('info', parameter('title', 'T') + parameter('icon', 'false') + rich('<p>a</p>')),
      '<p>T</p><div><p>a</p></div>',
    ],
    [macro('expand', parameter('title', 'More') + rich('b')), '<p>More</p><div>b</div>'],
    [
      '<ac:macro ac:name="expand"><ac:default-parameter>Old</ac:default-parameter><ac:rich-text-body>b</ac:rich-text-body></ac:macro>',
      '<p>Old</p><div>b</div>',
    ],
    [macro('panel', parameter('bgColor', '#eee') + rich('c')), '<div>c</div>'],
    [
      '<ac:macro ac:name="tip"><ac:default-parameter>x</ac:default-parameter><ac:rich-text-body>d</ac:rich-text-body></ac:macro>',
      '<div>d</div>',
    ],
  ],
  'titles of unknown macros': [
    [macro('ui-tab', parameter('title', 'Linux') + rich('<p>a</p>')), '<p>Linux</p><div><p>a</p></div>'],
    [
      macro('card', parameter('id', 'c1') + parameter('label', 'Linux') + rich('a')),
      '<p>Linux</p><div>a</div>',
    ],
    [
      macro('tab-pane', parameter('name', 'n') + parameter('title', 'Linux') + rich('a')),
      '<p>Linux</p><div>a</div>',
    ],
    [macro('tab-pane', parameter('name', 'Linux') + rich('a')), '<p>Linux</p><div>a</div>'],
    [macro('an-app', parameter('title', 'T') + plain('<![CDATA[a]]>')), '<p>T</p><pre><code>a</code></pre>'],
    [macro('an-app', parameter('title', 'T')), ''],
    [macro('an-app', parameter('title', 'T') + parameter('hidden', 'true') + rich('a')), ''],
    [macro('show-if', parameter('title', 'T') + rich('a') + plain('a')), ''],
    [macro('include', parameter('title', 'T') + rich('a') + plain('a')), ''],
  ],
  'kept bodies': ['excerpt', 'details', 'multiexcerpt', 'toc-zone', 'scroll-ignore', 'chart', 'any-app'].map(
    (name) => [macro(name, parameter('x', 'INLINE') + rich('<p>own</p>')), '<div><p>own</p></div>'] as const,
  ),
  'hidden bodies': [
    ['show-if', ''],
    ['hide-if', ''],
    ['excerpt', parameter('hidden', 'true')],
    ['details', parameter('hidden', 'true')],
  ].map(
    ([name = '', more = '']) =>
      [`a${macro(name, more + rich(`x${macro('info', rich('y'))}`))}b`, 'ab'] as const,
  ),
  'a body that is hidden afterwards': [
    [`a${macro('details', rich('x') + parameter('hidden', 'true'))}b`, 'ab'],
  ],
  'visible parameters': [
    [
      macro('status', parameter('colour', 'Green') + parameter('title', 'DONE')),
      '<span class="status-macro">DONE</span>',
    ],
    [
      macro('roadmap', parameter('title', 'Locks%20%26%20weirs')),
      '<span class="status-macro">Locks &amp; weirs</span>',
    ],
    [macro('roadmap', parameter('title', '100%')), '<span class="status-macro">100%</span>'],
    [
      macro('jira', parameter('server', 'S') + parameter('key', 'AB-1')),
      '<span class="status-macro">AB-1</span>',
    ],
    [macro('jira', parameter('jqlQuery', 'project = X')), ''],
    [
      macro('view-file', parameter('name', '<ri:attachment ri:filename="a.pdf"/>')),
      '<span class="status-macro">a.pdf</span>',
    ],
    [
      macro('drawio', parameter('diagramName', 'Net') + parameter('width', '9')),
      '<span class="status-macro">Net</span>',
    ],
    [
      macro('widget', parameter('url', '<ri:url ri:value="https://v.example/1"/>')),
      '<span class="status-macro">https://v.example/1</span>',
    ],
    [
      macro('iframe', parameter('src', '<ri:url ri:value="https://v.example/2"/>')),
      '<span class="status-macro">https://v.example/2</span>',
    ],
    [macro('toc', parameter('maxLevel', '3')) + macro('anchor', parameter('', 'here')), ''],
  ],
  'parameters with rich content': [
    [
      macro('an-app', parameter('cfg', '<p>internal</p><table><tr><td>x</td></tr></table>') + rich('own')),
      '<div>own</div>',
    ],
    [
      macro(
        'an-app',
        parameter('cfg', `<p>a</p>${macro('b', parameter('c', 'd') + rich('e'))}`) + rich('own'),
      ),
      '<div>own</div>',
    ],
    [
      macro('info', parameter('title', '<p>One</p><p>Two</p>') + rich('own')),
      '<p> One Two</p><div>own</div>',
    ],
    [`${macro('include', plain('<p>x</p>'))}<ac:placeholder><p>type here</p></ac:placeholder>`, ''],
    [macro('code', plain('<p>a</p><p>b</p>')), '<pre><code> a b</code></pre>'],
    [
      macro('an-app', '<ac:parameter ac:name="cfg">x<ac:rich-text-body>own</ac:rich-text-body>'),
      '<div>own</div>',
    ],
    [macro('an-app', `<ac:parameter ac:name="cfg">x${rich('own')}${parameter('b', 'y')}`), '<div>own</div>'],
    [
      `${macro('an-app', '<ac:parameter ac:name="cfg">x<p>own</p>')}<p>after</p></ac:parameter>`,
      '<p>own</p><p>after</p>',
    ],
    [
      macro('code', `<ac:parameter ac:name="x">y${plain('<![CDATA[</ac:parameter>]]>')}`),
      '<pre><code>&lt;/ac:parameter&gt;</code></pre>',
    ],
  ],
  dates: [
    ['<time datetime="2026-01-05" />', '<time datetime="2026-01-05" class="date-label">05 Jan 2026</time>'],
    ['<time datetime="soon" />', '<time datetime="soon" class="date-label">soon</time>'],
  ],
  emoji: [
    [
      '<ac:emoticon ac:name="blue-star" ac:emoji-shortname=":smile:" ac:emoji-id="1f604" ac:emoji-fallback="😄"/>',
      '<img class="emoticon" data-emoji-fallback="😄" data-emoji-id="1f604" data-emoticon-name="blue-star" alt=":smile:">',
    ],
    ['<ac:emoticon ac:name="tick"/>', '<img class="emoticon" data-emoticon-name="tick" alt="(tick)">'],
  ],
  mentions: [
    [link('<ri:user ri:account-id="a1"/>'), 'Ann &lt;Lee>'],
    [link('<ri:user ri:userkey="k1"/>'), 'Ben'],
    [link('<ri:user ri:username="cy"/>'), 'Cy'],
    [`a ${link('<ri:user ri:account-id="gone"/>')} b`, 'a  b'],
  ],
  links: [
    [
      link(
        '<ri:page ri:content-title="A &amp; B" ri:space-key="HR"/>',
        '<ac:link-body><b>t</b></ac:link-body>',
      ),
      '<a href="https://w.example/wiki/pages/viewpage.action?spaceKey=HR&amp;title=A%20%26%20B"><b>t</b></a>',
    ],
    [
      link(
        '<ri:page ri:content-title="Plan"/>',
        '<ac:plain-text-link-body><![CDATA[a<b]]></ac:plain-text-link-body>',
      ),
      '<a href="https://w.example/wiki/display/OPS/Plan">a&lt;b</a>',
    ],
    [
      link('<ri:page ri:content-title="A &amp; B"/>'),
      '<a href="https://w.example/wiki/pages/viewpage.action?spaceKey=OPS&amp;title=A%20%26%20B">A &amp; B</a>',
    ],
    [
      link('<ri:page ri:content-title="Plan"/>', '<ac:link-body>&nbsp;</ac:link-body>'),
      '<a href="https://w.example/wiki/display/OPS/Plan">&nbsp;Plan</a>',
    ],
    ...['In/out', 'a+b', 'Why?', '50%', 'x;y', 'The end.', 'a\\b'].map(
      (title) =>
        [
          link(`<ri:page ri:content-title="${title}"/>`),
          `<a href="https://w.example/wiki/pages/viewpage.action?spaceKey=OPS&amp;title=${encodeURIComponent(title)}">${title}</a>`,
        ] as const,
    ),
    ...['Über uns', '한국어 문서', 'v1.2 (draft)'].map(
      (title) =>
        [
          link(`<ri:page ri:content-title="${title}"/>`),
          `<a href="https://w.example/wiki/display/OPS/${encodeURIComponent(title)}">${title}</a>`,
        ] as const,
    ),
    [
      '<ac:link ac:anchor="First step"><ri:page ri:content-title="Plan"/></ac:link>',
      '<a href="https://w.example/wiki/display/OPS/Plan#First%20step">Plan</a>',
    ],
    [
      '<ac:link ac:anchor="a"><ri:content-entity ri:content-id="99"/><ac:link-body>t</ac:link-body></ac:link>',
      '<a href="https://w.example/wiki/pages/viewpage.action?pageId=99#a">t</a>',
    ],
    [
      link('<ri:blog-post ri:content-title="News" ri:posting-day="2026/01/05" ri:space-key="HR"/>'),
      '<a href="https://w.example/wiki/display/HR/2026/01/05/News">News</a>',
    ],
    [
      link('<ri:blog-post ri:content-title="In/out" ri:posting-day="2026/01/05"/>'),
      '<a href="https://w.example/wiki/display/OPS/2026/01/05">In/out</a>',
    ],
    [link('<ri:blog-post ri:content-title="News" ri:posting-day="../x"/>'), 'News'],
    [
      link('<ri:attachment ri:filename="a &amp; b.pdf"/>'),
      '<a href="https://w.example/wiki/download/attachments/7/a%20%26%20b.pdf">a &amp; b.pdf</a>',
    ],
    [
      link(
        '<ri:attachment ri:filename="a.pdf"><ri:page ri:content-title="Plan &amp; more"/></ri:attachment>',
      ),
      '<a href="https://w.example/wiki/download/attachments/7/a.pdf">a.pdf</a>',
    ],
    [
      link(
        '<ri:attachment ri:filename="a.pdf"><ri:content-entity ri:content-id="8"/></ri:attachment>',
        '<ac:link-body>t</ac:link-body>',
      ),
      '<a href="https://w.example/wiki/download/attachments/8/a.pdf">t</a>',
    ],
    [link('<ri:attachment ri:filename="a.pdf"><ri:page ri:content-title="Other"/></ri:attachment>'), 'a.pdf'],
    [link('<ri:space ri:space-key="HR"/>'), '<a href="https://w.example/wiki/display/HR">HR</a>'],
    [
      link('<ri:page ri:content-title="@home" ri:space-key="HR"/>', '<ac:link-body>t</ac:link-body>'),
      '<a href="https://w.example/wiki/display/HR">t</a>',
    ],
    [
      link('<ri:space ri:space-key="currentSpace()"/>', '<ac:link-body>t</ac:link-body>'),
      '<a href="https://w.example/wiki/display/OPS">t</a>',
    ],
    [link('<ri:page ri:content-title="@self"/>', '<ac:link-body>t</ac:link-body>'), 't'],
    [link('<ri:shortcut ri:key="jira" ri:parameter="AB-1"/>'), 'AB-1'],
    [
      link('<ri:url ri:value="https://x.example/?a=1&amp;b=2"/>'),
      '<a href="https://x.example/?a=1&amp;b=2">https://x.example/?a=1&amp;b=2</a>',
    ],
    [
      link('<ri:content-entity ri:content-id="99"/>', '<ac:link-body>t</ac:link-body>'),
      '<a href="https://w.example/wiki/pages/viewpage.action?pageId=99">t</a>',
    ],
    ['<ac:link ac:anchor="top"/>', 'top'],
    [
      '<a href="https://x.example/1" data-card-appearance="block"></a>',
      '<a href="https://x.example/1">https://x.example/1</a>',
    ],
    [
      '<a href="https://x.example/1" data-card-appearance="inline">https://x.example/1</a>',
      '<a href="https://x.example/1">https://x.example/1</a>',
    ],
  ],
  images: [
    [
      '<ac:image ac:alt="cat" ac:title="tip" ac:width="1"><ri:attachment ri:filename="a &amp; b.png"/><ac:caption><p>cap</p></ac:caption></ac:image>',
      '<img src="https://w.example/wiki/download/attachments/7/a%20%26%20b.png" data-linked-resource-default-alias="a &amp; b.png" alt="cat" title="tip" width="1"><figcaption><p>cap</p></figcaption>',
    ],
    [
      '<ac:image ac:alt="x"><ri:url ri:value="https://p.example/a.png?b=1&amp;c"/></ac:image>',
      '<img src="https://p.example/a.png?b=1&amp;c" alt="x">',
    ],
    [
      '<ac:image ac:alt="x"><ri:attachment ri:filename="a.png"><ri:page ri:content-title="Other"/></ri:attachment></ac:image>',
      '<img alt="x">',
    ],
    [
      '<ac:image ac:alt="x"><ri:attachment ri:filename="a.png"><ri:content-entity ri:content-id="8"/></ri:attachment></ac:image>',
      '<img alt="x">',
    ],
    [
      '<ac:image><ri:attachment ri:filename="a.png"><ri:page ri:content-title="Plan &amp; more"/></ri:attachment></ac:image>',
      '<img src="https://w.example/wiki/download/attachments/7/a.png" data-linked-resource-default-alias="a.png">',
    ],
    [
      link(
        '<ri:page ri:content-title="Plan"/>',
        '<ac:link-body><ac:image><ri:attachment ri:filename="a.png"/></ac:image></ac:link-body>',
      ),
      '<a href="https://w.example/wiki/display/OPS/Plan"><img src="https://w.example/wiki/download/attachments/7/a.png" data-linked-resource-default-alias="a.png"></a>',
    ],
    [
      '<ac:image><ri:attachment ri:filename="a.png"><ri:page ri:content-title="Plan &amp; more" ri:space-key="HR"/></ri:attachment></ac:image>',
      '<img>',
    ],
  ],
  'inline comments and placeholders': [
    [
      '<p>a wo<ac:inline-comment-marker ac:ref="r">rd</ac:inline-comment-marker>s<ac:placeholder>type here</ac:placeholder></p>',
      '<p>a words</p>',
    ],
  ],
  'adf extensions': [
    [
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>Hi</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Hi</p></ac:adf-fallback></ac:adf-extension>',
      '<div><p>Hi</p></div>',
    ],
    [
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content></ac:adf-content></ac:adf-node><ac:adf-fallback><p>Hi</p></ac:adf-fallback></ac:adf-extension>',
      '<div></div><div><p>Hi</p></div>',
    ],
    [
      '<ac:adf-extension><ac:adf-fallback>Hi</ac:adf-fallback><ac:adf-node type="panel"><ac:adf-content>Hi</ac:adf-content></ac:adf-node></ac:adf-extension>',
      '<div>Hi</div>',
    ],
    [
      '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-content><ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED</ac:adf-attribute><ac:adf-content>a</ac:adf-content></ac:adf-node><ac:adf-node type="decision-item"><ac:adf-fallback>b</ac:adf-fallback></ac:adf-node></ac:adf-content></ac:adf-node><ac:adf-fallback>a b</ac:adf-fallback></ac:adf-extension>',
      '<ul><li>a</li><li><div>b</div></li></ul>',
    ],
    [
      '<ac:adf-extension><ac:adf-node type="bodied-sync-block"><ac:adf-attribute key="resource-id">r</ac:adf-attribute><ac:adf-content><p>own</p></ac:adf-content></ac:adf-node></ac:adf-extension>',
      '<div><p>own</p></div>',
    ],
    [
      '<ac:adf-extension><ac:adf-leaf type="status"><ac:adf-attribute key="color">red</ac:adf-attribute><ac:adf-attribute key="text">LATE</ac:adf-attribute></ac:adf-leaf><ac:adf-fallback>LATE</ac:adf-fallback></ac:adf-extension>',
      'LATE',
    ],
    [
      '<ac:adf-extension><ac:adf-fallback>old</ac:adf-fallback><ac:adf-node type="panel"><ac:adf-content> </ac:adf-content></ac:adf-node></ac:adf-extension>',
      '<div>old</div><div> </div>',
    ],
    [
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content> <ac:adf-fallback>old</ac:adf-fallback></ac:adf-extension>end',
      '<div> <div>old</div></div>end',
    ],
    [
      '<ac:adf-extension><ac:adf-fallback>old<ac:adf-node type="panel"><ac:adf-content>new</ac:adf-content></ac:adf-node></ac:adf-extension>end',
      '<div>old<div>new</div></div>end',
    ],
    [
      '<ac:adf-extension><ac:adf-fallback>old</ac:adf-fallback><p>rest</p><ac:adf-extension><ac:adf-node type="panel"><ac:adf-content>next</ac:adf-content></ac:adf-node></ac:adf-extension>',
      '<div>old</div><p>rest</p><div>next</div>',
    ],
  ],
}

describe('storage format becomes HTML', () => {
  for (const [name, cases] of Object.entries(CASES))
    test(name, () => {
      for (const [storage, expected] of cases) assert.equal(html(storage), expected, storage)
    })
})

describe('content of other pages and systems', () => {
  const FOREIGN =
    'include excerpt-include multiexcerpt-include children pagetree contentbylabel detailssummary ' +
    'content-report-table tasks-report-macro decisionreport recently-updated blog-posts listlabels livesearch ' +
    'space-attachments index profile userlister contributors change-history jira jirachart rss html-include ' +
    'attachments gallery'

  for (const name of FOREIGN.split(' '))
    test(`${name} leaves only its name in the report`, () => {
      const page = parameter('', '<ac:link><ri:page ri:content-title="Secret" ri:space-key="HR"/></ac:link>')
      const inside = page + parameter('cql', 'label = x') + parameter('user', '<ri:user ri:account-id="a1"/>')
      assert.deepEqual(rendered(`<p>a</p>${macro(name, inside + plain('<![CDATA[x]]>'))}<p>b</p>`), {
        html: '<p>a</p><p>b</p>',
        dropped: [name],
      })
    })

  test('an unknown macro leaves its name in the report if it has no body of its own', () => {
    assert.deepEqual(rendered(macro('an-app', parameter('cql', 'label = x'))), {
      html: '',
      dropped: ['an-app'],
    })
    assert.deepEqual(rendered(macro('an-app', plain(' '))), { html: '', dropped: ['an-app'] })
    assert.deepEqual(rendered(macro('an-app', plain('x'))).dropped, [])
  })

  test('conditional parts of the plain body of an unknown macro are left out', () => {
    assert.deepEqual(rendered(macro('an-app', plain('a{show-if:group=hr}secret{show-if}b'))), {
      html: '<pre><code>ab</code></pre>',
      dropped: ['show-if'],
    })
  })

  test('a jira macro is reported only if its key is not shown', () => {
    assert.deepEqual(rendered(macro('jira', parameter('key', 'AB-1'))).dropped, [])
    assert.deepEqual(rendered(macro('jira', parameter('jqlQuery', 'project = X'))).dropped, ['jira'])
  })

  test('a reference to a synced block leaves nothing, not even a copy in its fallback', () => {
    const block =
      '<ac:adf-extension><ac:adf-node type="sync-block"><ac:adf-attribute key="resource-id">r</ac:adf-attribute></ac:adf-node><ac:adf-fallback><p>foreign</p></ac:adf-fallback></ac:adf-extension>'
    assert.deepEqual(rendered(block), { html: '', dropped: ['sync-block'] })
  })

  const extension = (inside: string) => `<ac:adf-extension>${inside}</ac:adf-extension>`
  const node = (type: string, inside = '') => `<ac:adf-node type="${type}">${inside}</ac:adf-node>`
  const panel = (inside: string) => node('panel', `<ac:adf-content>${inside}</ac:adf-content>`)
  const fallback = '<ac:adf-fallback><p>foreign</p></ac:adf-fallback>'
  const secret = macro('excerpt', parameter('hidden', 'true') + rich('foreign'))

  for (const [name, inside] of Object.entries({
    'a synced block': node('sync-block'),
    'an extension with a synced block': extension(node('sync-block')),
    'an include': macro('include'),
    'a conditional macro': macro('show-if', rich('foreign')),
    'a hidden excerpt': secret,
  }))
    test(`a fallback with a copy of ${name} is left out, whichever comes first`, () => {
      for (const body of [
        panel(inside) + fallback,
        fallback + panel(inside),
        panel(panel(inside)) + fallback,
      ])
        assert.equal(html(`a${extension(body)}b`).replace(/<\/?div>/g, ''), 'ab', body)
    })

  test('only the fallback before a synced block is left out', () => {
    const broken = `<ac:adf-extension><ac:adf-fallback>foreign${node('sync-block')}</ac:adf-extension>`
    assert.equal(html(`a${extension(fallback + node('sync-block'))}b`), 'ab')
    assert.equal(html(`a${broken}b`), 'ab')
    assert.equal(
      html(`a${extension(`${fallback}<p>own</p>${panel(`more ${node('sync-block')}`)}`)}b`),
      'a<p>own</p><div>more </div>b',
    )
  })

  test('toc, anchor, hidden bodies and kept bodies are not reported, conditional ones are', () => {
    const hidden = macro('excerpt', parameter('hidden', 'true') + rich(macro('include')))
    assert.deepEqual(rendered(macro('toc') + macro('anchor') + hidden).dropped, [])
    assert.deepEqual(rendered(macro('an-app', rich('a'))).dropped, [])
    assert.deepEqual(rendered(macro('show-if', rich(macro('include')))).dropped, ['show-if'])
  })

  test('a macro inside the body of an unknown one is still dropped', () => {
    assert.deepEqual(rendered(macro('an-app', rich(`own ${macro('include')}`))), {
      html: '<div>own </div>',
      dropped: ['include'],
    })
  })
})
