import fc, { type Arbitrary } from 'fast-check'

/** Random pages with words, markup, invisible and collapsed content. */
const word = fc.constantFrom(
  ...[
    'queue',
    'Gateway',
    'a&amp;b',
    '&lt;tag&gt;',
    'x=1',
    'naïve',
    '決済',
    'مرحبا',
    '😀',
    'e.g.',
    '12&nbsp;%',
    '&mdash;',
  ],
)
const space = fc.constantFrom(' ', ' ', '\n', '', '&nbsp;', ' <!-- unseen --> ')
const words = fc
  .array(fc.tuple(word, space), { minLength: 1, maxLength: 6 })
  .map((all) => all.flat().join(''))

const unseen = words.chain((text) =>
  fc.constantFrom(
    `<span style="display:none">${text}</span>`,
    `<span hidden>${text}</span>`,
    `<span class="assistive">${text}</span>`,
    `<span class="aui-icon aui-icon-small">${text}</span>`,
    `<script>${text}</script>`,
    `<style>p { color: red }</style>`,
    `<noscript>${text}</noscript>`,
    `<template><p>${text}</p></template>`,
    `<img alt="unseen" hidden>`,
  ),
)
const inlineLeaf = fc.oneof(
  { weight: 5, arbitrary: words },
  { weight: 1, arbitrary: unseen },
  words.map((text) => `<span class="status-macro aui-lozenge">${text}</span>`),
  words.map((text) => `<a class="confluence-userlink user-mention" href="/people/1">@${text}</a>`),
  words.map((text) => `<time datetime="2025-01-02">${text}</time>`),
  fc.constantFrom(
    '<br>',
    '<time datetime="2025-01-02"></time>',
    '<img class="emoticon emoticon-tick" data-emoticon-name="tick" alt="(tick)">',
    '<img class="emoticon" data-emoji-fallback="🚀" alt=":rocket:">',
    '<img alt="picture of it" src="/x.png">',
    'long<wbr>word',
    ' <math><semantics><mi>a</mi><annotation encoding="application/x-tex">a^2</annotation></semantics></math> ',
    ' <svg><text>drawn</text></svg> ',
  ),
)
const inline: Arbitrary<string> = fc.letrec<{ inline: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    inlineLeaf,
    wrapped(tie('inline'), 'b i code s u'),
  ),
})).inline
const line = fc.array(fc.oneof(inline, space), { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))

const cell = (block: Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('td', 'th'),
      fc.constantFrom('', ' colspan="2"', ' rowspan="2"'),
      fc.oneof(line, block),
    )
    .map(([name, span, text]) => `<${name}${span}>${text}</${name}>`)

const block: Arbitrary<string> = fc.letrec<{ block: string }>((tie) => {
  const inner = fc.array(tie('block'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('\n'))
  const item = fc
    .tuple(line, fc.oneof(fc.constant(''), tie('block')))
    .map(([text, more]) => `<li>${text}${more}</li>`)
  const items = fc.array(item, { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
  const row = fc
    .array(cell(tie('block')), { minLength: 1, maxLength: 3 })
    .map((all) => `<tr>${all.join('')}</tr>`)
  const rows = fc.array(row, { minLength: 1, maxLength: 3 }).map((all) => all.join(''))
  return {
    block: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      line.map((text) => `<p>${text}</p>`),
      line.map((text) => `<h2>${text}</h2>`),
      words.map((text) => `<div class="code panel"><pre>${text}\n  ${text}</pre></div>`),
      words.map((text) => `<div class="toc-macro"><ul><li>${text}</li></ul></div>`),
      words.map((text) => `<p style="visibility: hidden">${text}</p>`),
      line.map((text) => `<span style="display: block">${text}</span>`),
      wrapped(inner, 'div blockquote section center'),
      inner.map((text) => `<div class="confluence-information-macro"><p class="title">Mind</p>${text}</div>`),
      fc
        .tuple(words, inner)
        .map(
          ([title, text]) =>
            `<div class="expand-container"><button class="expand-control"><span class="expand-control-text">${title}</span></button><div class="expand-content expand-hidden" style="display: none">${text}</div></div>`,
        ),
      fc.tuple(words, inner).map(([title, text]) => `<details><summary>${title}</summary>${text}</details>`),
      inner.map((text) => `<div hidden>${text}</div>`),
      items.map((text) => `<ul>${text}</ul>`),
      items.map((text) => `<ol class="inline-task-list">${text}</ol>`),
      rows.map((text) => `<table class="confluenceTable"><tbody>${text}</tbody></table>`),
      fc
        .tuple(line, rows)
        .map(([head, text]) => `<table><thead><tr><th>${head}</th></tr></thead>${text}</table>`),
      inner.map(
        (text) =>
          `<div class="columnLayout"><div class="cell"><div class="innerCell">${text}</div></div></div>`,
      ),
    ),
  }
}).block

export const anyPage = fc.array(block, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('\n'))

function wrapped(inner: Arbitrary<string>, names: string): Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...names.split(' ')), inner)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
}
