import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Element } from '../../document.ts'
import { AppError } from '../../errors.ts'
import { partitionHtml, partitionText } from './html.ts'

function partition(html: string, title = 'Page'): Element[] {
  const url = 'https://wiki.example.com/spaces/OPS/pages/1/Page'
  return partitionHtml({ html, title, filename: '1.html', filetype: 'text/html', url })
}

/** All elements except the page title, as `[type, text]`. */
function body(html: string): [string, string][] {
  return partition(html)
    .slice(1)
    .map(({ type, text }) => [type, text])
}

function fixture(name: string): Element[] {
  const html = readFileSync(new URL(`fixtures/${name}.html`, import.meta.url), 'utf8')
  return partition(html, name)
}

describe('a rendered page', () => {
  test('it becomes elements in reading order', () => {
    assert.deepEqual(
      fixture('runbook').map(({ type, text, metadata }) => [type, metadata.category_depth ?? '-', text]),
      [
        ['Title', 0, 'runbook'],
        [
          'NarrativeText',
          '-',
          'This page tells whoever is on call how to restart the payment gateway. See the architecture first.',
        ],
        ['UncategorizedText', '-', 'Before you start'],
        ['NarrativeText', '-', 'Tell the duty manager, @Maria Kay, that payments will stop.'],
        ['Title', 1, 'Restart'],
        ['NarrativeText', '-', 'State: TESTED Q3 on 02 May 2024 and 2024-06-01 ✅'],
        ['ListItem', 1, '1. Drain the queue:'],
        ['ListItem', 2, 'stop the producers'],
        ['ListItem', 2, 'wait until depth is 0'],
        ['ListItem', 1, '2. Restart both nodes.\nOne after the other.'],
        ['UncategorizedText', '-', 'restart.sh'],
        [
          'CodeSnippet',
          '-',
          "for node in a b; do\n  ssh $node 'systemctl restart gateway' && sleep 30\ndone",
        ],
        ['Title', 2, 'If it fails'],
        ['UncategorizedText', '-', 'Known errors'],
        ['NarrativeText', '-', 'Error 17 means that the certificate has expired.'],
        ['Image', '-', 'Sequence of a restart'],
        ['Title', 1, 'Contacts'],
        ['Table', '-', 'Team Who\nPayments & fees Ann Bo\nStatus page'],
        ['ListItem', 1, '☑ Renew the certificate'],
        ['ListItem', 1, '☐ Test the alarm'],
      ],
    )
  })

  test('it sets the nearest title as parent; a title’s parent has a lower depth', () => {
    const elements = fixture('runbook')
    const parentOf = (text: string) => {
      const child = elements.find((element) => element.text === text)
      return elements.find((element) => element.element_id === child?.metadata.parent_id)?.text
    }
    assert.equal(parentOf('runbook'), undefined)
    assert.equal(parentOf('Before you start'), 'runbook')
    assert.equal(parentOf('Restart'), 'runbook')
    assert.equal(parentOf('stop the producers'), 'Restart')
    assert.equal(parentOf('If it fails'), 'Restart')
    assert.equal(parentOf('Known errors'), 'If it fails')
    assert.equal(parentOf('Contacts'), 'runbook')
    assert.equal(parentOf('☐ Test the alarm'), 'Contacts')
  })

  test('it keeps only the structure of a table', () => {
    const table = fixture('runbook').find((element) => element.type === 'Table')
    assert.equal(
      table?.metadata.text_as_html,
      '<table><thead><tr><th>Team</th><th>Who</th></tr></thead><tbody>' +
        '<tr><td>Payments &amp; fees</td><td>Ann<br/>Bo</td></tr>' +
        '<tr><td colspan="2">Status page</td></tr></tbody></table>',
    )
    assert.deepEqual(table?.metadata.link_urls, ['https://status.example.com/'])
  })

  test('it reads layouts, panels and quotes as the text they show', () => {
    assert.deepEqual(
      fixture('meeting-notes')
        .slice(1)
        .map(({ type, text }) => `${type}: ${text}`),
      [
        'Title: Date',
        'UncategorizedText: 04 Mar 2024',
        'Title: Participants',
        'ListItem: @Lea Brandt',
        'ListItem: @Jo Oduya',
        'Title: Goals',
        'UncategorizedText: Decide',
        'UncategorizedText: Decision',
        'NarrativeText: We move to the new cluster in April, and keep the old one until June.',
        'NarrativeText: “No more weekends.”',
        'Table: Topic Cluster\nCost 12 000 € per year',
        'Image: ',
      ],
    )
  })

  test('it records file name, type and a certain language', () => {
    const [title] = fixture('runbook')
    assert.deepEqual(title?.metadata, {
      filename: '1.html',
      filetype: 'text/html',
      languages: ['eng'],
      partitioner_type: 'fast',
      category_depth: 0,
    })
    assert.equal('languages' in partition('<p>OK 42</p>')[0]!.metadata, false)
    const japanese = partition(
      '<p>これは日本語のページです。決済の手順を説明します。毎日読んでください。</p>',
    )
    assert.deepEqual(japanese[0]?.metadata.languages, ['jpn'])
  })

  test('it becomes equal elements for equal input', () => {
    assert.deepEqual(fixture('runbook'), fixture('runbook'))
  })
})

describe('links and images', () => {
  test('it resolves links and drops anchors, scripts and data', () => {
    const [, text] = partition(
      '<p><a href="/x?a=1&amp;b=2">one</a> <a href="#here">two</a> <a href="javascript:alert(1)">three</a> ' +
        '<a href="data:text/html,x">four</a> <a href="mailto:ops@example.com">five</a></p>',
    )
    assert.equal(text?.text, 'one two three four five')
    assert.deepEqual(text?.metadata.link_urls, [
      'https://wiki.example.com/x?a=1&b=2',
      'mailto:ops@example.com',
    ])
    assert.deepEqual(text?.metadata.link_texts, ['one', 'five'])
  })

  test('it keeps an embedded picture without cutting its sentence', () => {
    const [, text, image] = partition(
      '<p>See <img src="data:image/png;base64,iVBORw0KGgo=" alt="the plan"> for all of the details.</p>',
    )
    assert.equal(text?.text, 'See for all of the details.')
    assert.equal(image?.text, 'the plan')
    assert.equal(image?.metadata.image_base64, 'iVBORw0KGgo=')
    assert.equal(image?.metadata.image_mime_type, 'image/png')
  })

  test('it keeps the target of a link around a picture', () => {
    const [, linked] = partition('<p><a href="/plan"><img alt="the plan" src="/a.png"></a></p>')
    assert.deepEqual(
      [linked?.type, linked?.metadata.link_urls, linked?.metadata.link_texts],
      ['Image', ['https://wiki.example.com/plan'], ['the plan']],
    )
    const [, named] = partition('<p><a href="/plan"><img alt="a.png" src="/a.png"></a></p>')
    assert.deepEqual(named?.metadata.link_texts, ['a.png'])
    const [, text] = partition('<p><a href="/plan">See <img alt="it" src="/a.png"></a></p>')
    assert.deepEqual(text?.metadata.link_texts, ['See'])
  })

  test('it keeps a file name in the address of a picture, not in its text', () => {
    for (const html of [
      '<img alt="wide plan.png" src="/d/wide%20plan.png?version=1">',
      '<img alt="a_b.PNG" src="/thumb/1">',
      '<img alt="_images/a.svg" src="../_images/a.svg">',
      '<img src="/d/1" data-linked-resource-default-alias="my plan.png">',
      '<img alt="my plan.png" src="/d/1" data-linked-resource-default-alias="my plan.png">',
      '<img alt="a.png" src="data:image/png;base64,iVBORw0KGgo=" data-image-src="/d/a.png">',
    ]) {
      const [, image, ...rest] = partition(`<p>${html}</p>`)
      assert.deepEqual([image?.type, image?.text, rest.length], ['Image', '', 0], html)
      assert.match(image?.metadata.image_url ?? '', /^https:\/\/wiki\.example\.com\//, html)
    }
    for (const [html, text] of [
      ['<img alt="a.png" title="The plan" src="/a.png">', 'The plan'],
      ['<img alt="plan.pdf" src="/c/pdf.png">', 'plan.pdf'],
      ['<img alt="plan" src="/plan.png">', 'plan'],
      ['<img alt="How to open plan.png" src="/b.png">', 'How to open plan.png'],
    ])
      assert.deepEqual(body(`<p>${html}</p>`), [['Image', text]])
  })

  test('it makes a picture without text in a cell an element after the table', () => {
    const [, table, image] = partition('<table><tr><td>See <img alt="a.png" src="/a.png"></table>')
    assert.deepEqual([table?.text, image?.metadata.image_url], ['See', 'https://wiki.example.com/a.png'])
  })

  test('it leaves out the signs that link to a heading of a manual', () => {
    assert.deepEqual(body('<h2>Gates<a class="headerlink" href="#gates">¶</a></h2><p>See ¶ 3</p>'), [
      ['Title', 'Gates'],
      ['UncategorizedText', 'See ¶ 3'],
    ])
  })

  test('it leaves out pictures that only decorate', () => {
    for (const html of [
      '<img alt="[Note]" src="note.png">',
      '<img alt="Warning" role="presentation" src="w.png">',
      '<img alt="Warning" aria-hidden="true" src="w.png">',
      '<img alt="Tip" width="24" height="24px" src="tip.png">',
      '<img alt="Prev" src="images/icons/prev.png">',
      '<img alt="Next" class="icon nav-icon" src="n.png">',
      '<img alt="logo" src="n.svg">',
      '<img alt="Company Logo" src="n.svg">',
      '<img alt="Home" class="site-logo" src="n.svg">',
      '<a href="2.html"><img alt="Next" src="images/next.gif"></a>',
      '<a href="1.html"><img alt="&lt;&lt;&nbsp;previous" src="arrow.png"></a>',
      '<a href="0.html"><img alt="Contents" src="toc.png"></a>',
    ]) {
      assert.deepEqual(body(`<p>Text</p>${html}`), [['UncategorizedText', 'Text']], html)
      const cell = html.includes('width') ? 'Tip a' : 'a'
      assert.deepEqual(body(`<table><tr><td>${html}</td><td>a</td></table>`), [['Table', cell]], html)
    }
  })

  test('it puts a caption in a list item after its picture', () => {
    const html =
      '<ul><li>Open it<img alt="the plan" src="/a.png"><figcaption>The plan in May</figcaption></li></ul>'
    assert.deepEqual(body(html), [
      ['ListItem', 'Open it'],
      ['Image', 'the plan'],
      ['FigureCaption', 'The plan in May'],
    ])
  })

  test('it names the caption of a figure', () => {
    const html =
      '<figure><img alt="the plan" src="/a.png"><figcaption><p>It shows the weir.</p></figcaption></figure><p>Text</p>'
    assert.deepEqual(body(html), [
      ['Image', 'the plan'],
      ['FigureCaption', 'It shows the weir.'],
      ['UncategorizedText', 'Text'],
    ])
  })

  test('it leaves out pictures without content', () => {
    assert.deepEqual(
      body(
        '<p><img src="/a.png"><img src="/p.gif" width="1" height="1" alt="count"><img alt="x" hidden></p>',
      ),
      [],
    )
  })
})

describe('hidden content', () => {
  for (const [what, html] of Object.entries({
    'a script': '<script>if (a < b) hide("<p>no</p>")</script>',
    'a style': '<style>p > a { color: red }</style>',
    'a comment': '<!-- no --><!-- <p>no</p> -->',
    'a table of contents': '<div class="toc-macro"><ul><li>no</li></ul></div>',
    'an element that is not displayed': '<div style="color:red; DISPLAY : none"><p>no</p></div>',
    'the parameters of a macro': '<fieldset class="hidden parameters"><p>no</p></fieldset>',
    'a head': '<html><head><title>no</title></head><body></body></html>',
    'invisible parts of a drawing': '<svg><title>no</title><defs><text>no</text></defs><path/></svg>',
    'text of no size': '<p style="font-size:0">no</p><p style="opacity: 0.0;">no</p>',
    'a closed dialog': '<dialog><p>no</p></dialog>',
    'a template': '<template><p>no</p></template>',
    'a template in a paragraph': '<p><template><p>no</template></p>',
    'rows of a template in a table':
      '<table><tr><td><template><tr><td>no</td></tr></table>no</template></table>',
    'content for browsers without scripts': '<p><noscript><p>no</p></noscript>',
    'hidden text with a stray closing tag': '<p><span hidden>no</i> no</span></p>',
    'content only for print': '<p class="print-only">no</p>',
  })) {
    test(`it leaves out ${what} and continues after it`, () => {
      assert.deepEqual(body(`${html}<p>yes</p>`), [['UncategorizedText', 'yes']])
    })
  }
})

describe('malformed markup', () => {
  for (const [what, html, expected] of [
    ['omitted closing tags', '<p>a<p>b<ul><li>c<li>d</ul>', 'a|b|c|d'],
    ['cells and rows without closing tags', '<table><tr><td>a<td>b<tr><td>c</table>d', 'a b\nc|d'],
    ['a closing tag without an opening tag', '</div></td><p>a</p></li>b', 'a|b'],
    ['inline tags closed in the wrong order', '<b><i>a</b> b</i> c', 'a b c'],
    ['an inline tag across blocks', '<b><p>a</b> b</p><p>c</p>', 'a b|c'],
    [
      'a closing tag in a cell for a tag outside',
      '<div><table><tr><td>a</div>b</td></tr></table></div>',
      'ab',
    ],
    ['a table in a table', '<table><tr><td>a<table><tr><td>b<td>c</table>d</table>', 'a b c d'],
    ['text between cells', '<table>stray<tr><td>a</table>', 'stray|a'],
    ['a caption', '<table><caption>cap</caption><tr><td>a</table>', 'cap|a'],
    ['line breaks', 'a<br>b<br/>c</br>d', 'a\nb\nc\nd'],
    ['entities', '<p>a &lt;b&gt; &amp;amp; &eacute;&#128512;&nbsp;&copy</p>', 'a <b> &amp; é😀 ©'],
    ['spaces and controls', '<p>\u0000 a\n\t b\u0007\u00a0 \ufeffc </p><p>\u200b</p>', 'a b c'],
    [
      'zero-width characters',
      '<p>wi\u200bde \ufeffpa\ufeffge fi\u200cle می\u200cخواهم 👩\u200d💻</p><pre>a\u200b = \ufeff1</pre>',
      'wide page file می\u200cخواهم 👩\u200d💻|a = 1',
    ],
    ['half of a surrogate pair', '<p>a \ud83d b</p>', 'a \ufffd b'],
    ['an unfinished tag', '<p>a</p><p class="', 'a'],
    ['indented code', '<pre>\n\n  if (a) {\r\n    b\t</pre>', '  if (a) {\n    b'],
    ['a definition list', '<dl><dt>a<dd>b</dl>', 'a|b'],
    ['a heading that was not closed', '<h1>a<h2>b</h2><p>c', 'a|b|c'],
  ] as const) {
    test(`it reads ${what}`, () => {
      assert.equal(
        body(html)
          .map(([, text]) => text)
          .join('|'),
        expected,
      )
    })
  }

  test('it handles attributes named like object properties', () => {
    assert.deepEqual(body('<p __proto__="x" constructor="y" hasOwnProperty>a</p>'), [
      ['UncategorizedText', 'a'],
    ])
  })
})

describe('macros of a rendered page', () => {
  test('it keeps code unchanged and records its language', () => {
    for (const html of [
      '<pre data-syntaxhighlighter-params="brush: Java; gutter: false">if (a &lt; b)\n  c()</pre>',
      '<pre><code class="hljs language-java">if (a &lt; b)\n  c()</code></pre>',
      '<script type="syntaxhighlighter" class="theme: Emacs; brush: java"><![CDATA[if (a < b)\n  c()]]></script>',
    ]) {
      const [, code] = partition(html)
      assert.deepEqual([code?.type, code?.text], ['CodeSnippet', 'if (a < b)\n  c()'])
      assert.equal(
        code?.metadata.text_as_html,
        '<pre><code class="language-java">if (a &lt; b)\n  c()</code></pre>',
      )
    }
    const [, plain] = partition('<pre class="brush: plain">x</pre>')
    assert.equal(plain?.metadata.text_as_html, undefined)
  })

  test('it keeps the lines and the indentation of code in a cell', () => {
    const [, table] = partition('<table><tr><td><pre>a\n  b</pre><td>c</table>')
    assert.equal(table?.text, 'a b c')
    assert.match(table?.metadata.text_as_html ?? '', /<td>a<br\/> {2}b<\/td>/)
    assert.deepEqual(body('<table><pre>  a</table>'), [['UncategorizedText', 'a']])
    const [, indented] = partition('<table><tr><td>Do:<pre>\n  if a &lt; b:\n\tc  </pre> then </table>')
    assert.equal(indented?.text, 'Do: if a < b: c then')
    assert.match(
      indented?.metadata.text_as_html ?? '',
      /<td>Do:<br\/> {2}if a &lt; b:<br\/>\tc<br\/>then<\/td>/,
    )
  })

  test('it writes emoji as characters from any attribute', () => {
    const html =
      '<p><img class="emoticon" data-emoji-fallback="🚀" alt="(blue star)"><img class="emoticon" data-emoji-id="1f1e9-1f1ea">' +
      '<img class="emoticon emoticon-tick" alt="(tick)"><img class="emoticon" data-emoji-id="custom-1" alt=":parrot:"></p>'
    assert.equal(body(html)[0]?.[1], '🚀🇩🇪✅:parrot:')
  })

  test('it writes the emoji of the wiki as characters, whose fallback is only a short name', () => {
    for (const [name, character] of Object.entries({
      check_mark: '✅',
      cross_mark: '❌',
      question_mark: '❓',
      exclamation: '❗',
      plus: '➕',
      minus: '➖',
      info: 'ℹ️',
      warning: '⚠️',
      light_bulb_on: '💡',
      light_bulb_off: '💡(off)',
      flag_on: '🚩',
      flag_off: '🏳️',
      red_star: '⭐(red)',
      yellow_star: '⭐',
    })) {
      const short = `:${name}:`
      const html = `<img class="emoticon" data-emoji-id="atlassian-${name}" data-emoji-fallback="${short}" alt="${short}">`
      assert.deepEqual(body(`<p>a${html}</p>`), [['UncategorizedText', `a${character}`]])
      assert.deepEqual(body(`<p>a<img class="emoticon" alt="${short}"></p>`)[0]?.[1], `a${character}`)
    }
    for (const [name, character] of Object.entries({
      'red-star': '⭐(red)',
      'green-star': '⭐(green)',
      'blue-star': '⭐(blue)',
      'yellow-star': '⭐',
      'light-on': '💡',
      'light-off': '💡(off)',
      tick: '✅',
    }))
      assert.equal(
        body(`<p><img class="emoticon" data-emoticon-name="${name}" alt="(x)"></p>`)[0]?.[1],
        character,
      )
    const uploaded =
      '<img class="emoticon" data-emoticon-name="blue-star" data-emoji-id="9f-1" data-emoji-fallback=":parrot:" alt=":parrot:">'
    assert.equal(body(`<p>${uploaded}</p>`)[0]?.[1], ':parrot:')
    const smile = '<img class="emoticon" data-emoji-fallback=":)" data-emoticon-name="smile">'
    assert.equal(body(`<p>${smile}</p>`)[0]?.[1], ':)')
  })

  test('it puts a space after a label, but not before punctuation', () => {
    const label = '<span class="status-macro">DONE</span>'
    assert.equal(body(`<p>is${label}by Ann</p>`)[0]?.[1], 'is DONE by Ann')
    assert.equal(body(`<p>is${label}, ${label}. <b>${label}</b>x</p>`)[0]?.[1], 'is DONE, DONE. DONE x')
    assert.equal(body(`<p>${label}${label}<i>1</i></p><p>${label}</p>x`)[0]?.[1], 'DONE DONE 1')
    const date = '<time datetime="2026-01-05" class="date-past">05 Jan 2026</time>'
    assert.equal(body(`<p>due${date}noon (${date}).</p>`)[0]?.[1], 'due 05 Jan 2026 noon (05 Jan 2026).')
  })

  test('it reads a formula’s source, or its symbols without one', () => {
    const drawn = '<span class="katex-html" aria-hidden="true">½</span>'
    const typed =
      '<math><mfrac><mn>1</mn><mn>2</mn></mfrac><annotation encoding="application/x-tex">\\frac12</annotation></math>'
    assert.equal(
      body(
        `<p>is <span class="katex"><span class="katex-mathml">${typed}</span>${drawn}</span>.</p>`,
      )[0]?.[1],
      'is \\frac12.',
    )
    assert.equal(body(`<p>is <span class="katex">${drawn}</span>.</p>`)[0]?.[1], 'is ½.')
    assert.equal(body('<p><math><mi>x</mi><mo>&lt;</mo><mi>y</mi></math></p>')[0]?.[1], 'x < y')
  })

  test('it reads the text of a drawing', () => {
    const html =
      '<p><svg><text>Queue</text><text><tspan x="1">two</tspan><tspan x="1">lines</tspan></text></svg></p>'
    assert.equal(body(html)[0]?.[1], 'Queue two lines')
  })

  test('it keeps a picture inside a table', () => {
    const [, table, image] = partition(
      '<table><tr><td>See <img alt="the plan" src="data:image/png;base64,iVBORw0KGgo="></table>',
    )
    assert.equal(table?.text, 'See the plan')
    assert.deepEqual([image?.type, image?.text], ['Image', 'the plan'])
    assert.equal(image?.metadata.image_base64, 'iVBORw0KGgo=')
  })

  test('it reads a panel of old versions as text, not as a table', () => {
    const html =
      "<table class='noteMacro'><tr><td><img alt=''></td><td><b>Note</b><br><p>Kept for thirty days.</p>" +
      '<table><tr><td>real</table></td></tr></table><p>after</p>'
    assert.deepEqual(body(html), [
      ['UncategorizedText', 'Note'],
      ['NarrativeText', 'Kept for thirty days.'],
      ['Table', 'real'],
      ['UncategorizedText', 'after'],
    ])
  })
})

describe('items of lists', () => {
  test('it has the number that the page shows, and the state of a task', () => {
    for (const [html, expected] of [
      ['<ol><li>a</li><li><p>b</p><ol><li>c</ol><li>d</ol>', '1. a|2. b|1. c|3. d'],
      ['<ol start="7"><li>a<li value="3">b<li>c</ol>', '7. a|3. b|4. c'],
      ['<ol start="-1"><li>a<li>b</ol>', '-1. a|0. b'],
      [
        '<ol reversed><li>a</ol><ol reversed start="2"><li>a<li>b</ol><ol start="x"><li>c</ol>',
        'a|2. a|1. b|1. c',
      ],
      ['<ol type="a"><li>a<li>b</ol><ol type="I" start="4"><li>c</ol>', 'a. a|b. b|IV. c'],
      ['<ol style="list-style-type: lower-roman"><li>a</ol><ol style="list-style:none"><li>b</ol>', 'i. a|b'],
      ['<ol type="a" start="27"><li>a</ol><ol type="a" start="0"><li>b</ol>', 'aa. a|0. b'],
      ['<ol><li><ul><li>a</ul><li> <li>b</ol>', 'a|3. b'],
      ['<ol><li><pre>x\n</pre>a</ol>', 'x|1. a'],
      ['<ol><li hidden>a<li>b</ol>', '1. b'],
      ['<ol><li><table><tr><td>a</table></ol>', 'a'],
      ['<table><tr><td><ol><li>a<li>b</ol></table>', '1. a 2. b'],
      [
        '<ul class="inline-task-list"><li class="checked" data-inline-task-id="1">a<li data-inline-task-id="2">b</ul>',
        '☑ a|☐ b',
      ],
      [
        '<ul><li><input type="checkbox" checked disabled> a<li><input type="checkbox"> b<li>c</ul>',
        '☑ a|☐ b|c',
      ],
      ['<ul><li data-inline-task-id="2">&nbsp;</ul><p>a</p>', 'a'],
      ['<table><tr><td><ul><li class="checked" data-inline-task-id="1">a</ul></table>', '☑ a'],
    ] as const)
      assert.equal(
        body(html)
          .map(([, text]) => text)
          .join('|'),
        expected,
        html,
      )
  })
})

describe('unusual pages', () => {
  test('it is only the title if the page is empty', () => {
    for (const html of ['', '  \n', '<p><br/></p>']) {
      assert.deepEqual(
        partition(html).map(({ type, text }) => [type, text]),
        [['Title', 'Page']],
      )
    }
  })

  test('it is nothing if the title is empty too', () => {
    assert.deepEqual(partition('', ' '), [])
  })

  test('it splits plain text at blank lines', () => {
    assert.deepEqual(body('AT&amp;T wrote\nto us today.\r\n \r\nBye'), [
      ['NarrativeText', 'AT&T wrote to us today.'],
      ['UncategorizedText', 'Bye'],
    ])
  })

  test('it reads no markup in text/plain', () => {
    const text = 'a <b> &amp; c'
    const elements = partitionText({ html: text, title: '', filename: 'a.txt', filetype: 'text/plain' })
    assert.deepEqual(
      elements.map((element) => element.text),
      [text],
    )
  })

  test('it refuses binary content', () => {
    for (const bytes of [
      '\u0000\u0001\ufffd\u0002'.repeat(50),
      '%PDF-1.7 and so on',
      `<p>${'\ufffd'.repeat(99)}`,
    ]) {
      assert.throws(
        () => partition(bytes),
        (error) =>
          error instanceof AppError && error.code === 'document_broken' && /1\.html/.test(error.message),
      )
    }
  })
})
