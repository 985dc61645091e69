import {
  attachmentImage,
  emojiImage,
  escapeHtml,
  fileLink,
  storedImage,
} from '../../../src/sample/wiki/images.ts'
import type { Body } from '../../../src/sample/wiki/model.ts'
import { createRandom, type Random } from '../../../src/sample/wiki/random.ts'
import { capital, paragraph, sentence, type Topic } from './words.ts'

/** What a body may point at: real people, real pages, real attachments of the same wiki. */
export interface BodyContext {
  seed: number
  pageId: string
  topic: Topic
  people: readonly { accountId: string; name: string }[]
  links: readonly { id: string; title: string; spaceKey: string }[]
  image?: { id: string; title: string; fileId: string }
  file?: { id: string; title: string; mediaType: string }
}

interface Block {
  view: string
  storage: string
}

/** The view is rendered at once, since a benchmark reads it; the storage format when first asked for. */
export function generateBody(context: BodyContext): Body {
  const view = blocksOf(context)
    .map((block) => block.view)
    .join('')
  let storage: string | undefined
  return {
    // Joined strings are ropes; a round through a Buffer makes one flat string that serialises fast.
    view: Buffer.from(view).toString(),
    get storage() {
      storage ??= blocksOf(context)
        .map((block) => block.storage)
        .join('')
      return storage
    },
  }
}

/** 4 to 27 KB of view HTML; 11 KB on average. */
function blocksOf(context: BodyContext): Block[] {
  const random = createRandom(context.seed)
  const goal = 3000 + Math.floor(random.next() ** 2.2 * 20_000)
  const blocks: Block[] = []
  if (random.chance(0.25)) blocks.push(tableOfContents())
  blocks.push(text(random, context))
  // A few pages leave Latin-1, which doubles the memory of their text.
  if (random.chance(0.05)) blocks.push(same('<p>Übersicht — résumé, “notes”, Ελληνικά, 日本語のメモ 🚀</p>'))
  if (context.image !== undefined) blocks.push(image(context, context.image))
  let size = 0
  while (size < goal) {
    const section = [heading(random, context.topic), text(random, context)]
    for (let left = random.int(1, 3); left > 0; left--) section.push(random.pick(makers)(random, context))
    const block = random.chance(0.1) ? layout(section) : join(section)
    size += block.view.length
    blocks.push(block)
  }
  if (context.file !== undefined) blocks.push(file(context, context.file))
  return blocks
}

type Maker = (random: Random, context: BodyContext) => Block

const text: Maker = (random, context) => {
  const words = paragraph(random, context.topic)
  const before = `<p>${words}`
  switch (random.int(0, 5)) {
    case 0: {
      const person = random.pick(context.people)
      return {
        view: `${before} Ask <a class="confluence-userlink user-mention" data-account-id="${person.accountId}" href="/wiki/people/${encodeURIComponent(person.accountId)}" target="_blank" data-linked-resource-type="userinfo">${person.name}</a> first.</p>`,
        storage: `${before} Ask <ac:link><ri:user ri:account-id="${person.accountId}" /></ac:link> first.</p>`,
      }
    }
    case 1: {
      if (context.links.length === 0) return same(`${before}</p>`)
      const link = random.pick(context.links)
      return {
        view: `${before} See <a href="/wiki/spaces/${link.spaceKey}/pages/${link.id}" data-linked-resource-id="${link.id}" data-linked-resource-version="1" data-linked-resource-type="page">${escapeHtml(link.title)}</a>.</p>`,
        storage: `${before} See <ac:link><ri:page ri:content-title="${escapeHtml(link.title)}" ri:space-key="${link.spaceKey}" /></ac:link>.</p>`,
      }
    }
    case 2: {
      const [colour, macroColour] = random.pick(lozenges)
      const title = random.pick(['DONE', 'IN PROGRESS', 'BLOCKED', 'PLANNED'])
      return {
        view: `${before} <span class="status-macro aui-lozenge aui-lozenge-visual-refresh ${colour}">${title}</span></p>`,
        storage: `${before} <ac:structured-macro ac:name="status" ac:schema-version="1"><ac:parameter ac:name="title">${title}</ac:parameter><ac:parameter ac:name="colour">${macroColour}</ac:parameter></ac:structured-macro></p>`,
      }
    }
    case 3: {
      const [id, name, glyph] = random.pick(emoji)
      return {
        view: `${before} ${emojiImage(id, name, glyph)}</p>`,
        storage: `${before} <ac:emoticon ac:name="blue-star" ac:emoji-shortname=":${name}:" ac:emoji-id="${id}" ac:emoji-fallback="${glyph}" /></p>`,
      }
    }
    case 4:
      return same(
        `${before} <strong>${capital(sentence(random, context.topic))}</strong> <a href="https://docs.acme.example/${context.topic.label}/${random.int(100, 999)}" class="external-link" rel="nofollow">Reference</a> and <code>${context.topic.label}.${random.int(1, 40)}.enabled=true</code>.</p>`,
      )
    default:
      return same(`${before} <em>${sentence(random, context.topic)}</em></p>`)
  }
}

const list: Maker = (random, { topic }) => {
  const tag = random.chance(0.4) ? 'ol' : 'ul'
  const item = (inner = '') => `<li><p>${sentence(random, topic)}</p>${inner}</li>`
  const nested = () => `<ul>${Array.from({ length: random.int(1, 3) }, () => item()).join('')}</ul>`
  const items = Array.from({ length: random.int(3, 6) }, () => item(random.chance(0.3) ? nested() : ''))
  return same(`<${tag}>${items.join('')}</${tag}>`)
}

const table: Maker = (random, { topic }) => {
  const columns = random.int(2, 4)
  const head = Array.from(
    { length: columns },
    () => `<th class="confluenceTh"><p><strong>${capital(random.pick(topic.things))}</strong></p></th>`,
  )
  const cell = (span = '') =>
    `<td${span} class="confluenceTd"><p>${capital(random.pick(topic.qualities))} ${random.pick(topic.things)}, ${random.int(1, 900)}</p></td>`
  const rows = Array.from({ length: random.int(3, 8) }, (_, at) => {
    if (at === 1) return `<tr>${cell(' rowspan="2"')}${cell().repeat(columns - 1)}</tr>`
    if (at === 2) return `<tr>${cell().repeat(columns - 1)}</tr>`
    if (at === 3) return `<tr>${cell(` colspan="${columns}"`)}</tr>`
    return `<tr>${Array.from({ length: columns }, () => cell()).join('')}</tr>`
  })
  const inner = `<tbody><tr>${head.join('')}</tr>${rows.join('')}</tbody></table>`
  return {
    view: `<div class="table-wrap"><table data-layout="default" class="confluenceTable">${inner}</div>`,
    storage: `<table data-layout="default">${inner.replaceAll(/ class="confluenceT[hd]"/g, '')}`,
  }
}

const code: Maker = (random, { topic }) => {
  const name = capital(random.pick(topic.things)).replaceAll(/[^A-Za-z]/g, '')
  const language = random.pick(['java', 'bash', 'sql', 'py', 'yaml', 'js'])
  const lines = Array.from(
    { length: random.int(3, 10) },
    (_, at) =>
      `  ${random.pick(topic.actions).replaceAll(' ', '_')}(${name.toLowerCase()}, ${at * random.int(2, 9)}) // ${random.pick(topic.things)} < ${random.int(1, 99)} && ready`,
  )
  const source = `class ${name} {\n${lines.join('\n')}\n}`
  return {
    view: `<div class="code panel pdl" style="border-width: 1px;"><div class="codeContent panelContent pdl">\n<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: ${language}; gutter: false; theme: Confluence" data-theme="Confluence">${escapeHtml(source)}</pre>\n</div></div>`,
    storage: `<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">${language}</ac:parameter><ac:plain-text-body><![CDATA[${source}]]></ac:plain-text-body></ac:structured-macro>`,
  }
}

const panel: Maker = (random, context) => {
  const [macro, name, icon] = random.pick(panels)
  const inner = `<p>${paragraph(random, context.topic, 2)}</p>`
  return {
    view: `<div class="confluence-information-macro confluence-information-macro-${name} conf-macro output-block" data-hasbody="true" data-macro-name="${macro}"><span class="aui-icon aui-icon-small ${icon} confluence-information-macro-icon"></span><div class="confluence-information-macro-body">${inner}</div></div>`,
    storage: `<ac:structured-macro ac:name="${macro}" ac:schema-version="1"><ac:rich-text-body>${inner}</ac:rich-text-body></ac:structured-macro>`,
  }
}

const expand: Maker = (random, context) => {
  const title = capital(random.pick(context.topic.things))
  const inner = join([text(random, context), list(random, context)])
  const id = random.int(100_000, 999_999)
  return {
    view: `<div id="expander-${id}" class="expand-container conf-macro output-block" data-hasbody="true" data-macro-name="expand"><div id="expander-control-${id}" class="expand-control" aria-expanded="true"><span class="expand-icon aui-icon aui-icon-small aui-iconfont-chevron-right">&nbsp;</span><span class="expand-control-text">${title}</span></div><div id="expander-content-${id}" class="expand-content expand-hidden">${inner.view}</div></div>`,
    storage: `<ac:structured-macro ac:name="expand" ac:schema-version="1"><ac:parameter ac:name="title">${title}</ac:parameter><ac:rich-text-body>${inner.storage}</ac:rich-text-body></ac:structured-macro>`,
  }
}

const tasks: Maker = (random, { topic, pageId }) => {
  const items = Array.from({ length: random.int(2, 5) }, (_, at) => ({
    id: at + 1,
    done: random.chance(0.4),
    text: `${capital(random.pick(topic.actions))} the ${random.pick(topic.things)}`,
  }))
  return {
    view: `<ul class="inline-task-list" data-inline-tasks-content-id="${pageId}">${items.map((task) => `<li${task.done ? ' class="checked"' : ''} data-inline-task-id="${task.id}"><span class="placeholder-inline-tasks">${task.text}</span></li>`).join('')}</ul>`,
    storage: `<ac:task-list>${items.map((task) => `<ac:task><ac:task-id>${task.id}</ac:task-id><ac:task-status>${task.done ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body>${task.text}</ac:task-body></ac:task>`).join('')}</ac:task-list>`,
  }
}

// Weighted by repetition: prose and lists carry most pages, macros are the spice.
const makers: readonly Maker[] = [text, text, text, list, list, table, table, code, panel, expand, tasks]

function heading(random: Random, topic: Topic): Block {
  const level = random.pick([2, 2, 3, 3, 4])
  const title = capital(`${random.pick(topic.actions)} the ${random.pick(topic.things)}`)
  const id = title.replaceAll(' ', '-')
  return { view: `<h${level} id="${id}">${title}</h${level}>`, storage: `<h${level}>${title}</h${level}>` }
}

const tableOfContents = (): Block => ({
  view: `<div class="toc-macro client-side-toc-macro conf-macro output-block" data-headerelements="H1,H2,H3" data-hasbody="false" data-macro-name="toc"></div>`,
  storage: `<ac:structured-macro ac:name="toc" ac:schema-version="1" />`,
})

// Root-relative, so that equal seeds give equal bodies whatever port the wiki listens on.
const image = ({ pageId }: BodyContext, { id, title, fileId }: NonNullable<BodyContext['image']>): Block => ({
  view: attachmentImage({ id, title, fileId, pageId }),
  storage: storedImage(title),
})

const file = (
  { pageId }: BodyContext,
  { id, title, mediaType }: NonNullable<BodyContext['file']>,
): Block => ({
  view: `<p>${fileLink({ id, title, mediaType, pageId })}</p>`,
  storage: `<p><ac:link><ri:attachment ri:filename="${escapeHtml(title)}" /></ac:link></p>`,
})

const layout = (blocks: Block[]): Block => {
  const inner = join(blocks)
  return {
    view: `<div class="columnLayout two-equal" data-layout="two-equal"><div class="cell normal" data-type="normal"><div class="innerCell">${inner.view}</div></div><div class="cell normal" data-type="normal"><div class="innerCell"><p>&nbsp;</p></div></div></div>`,
    storage: `<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell>${inner.storage}</ac:layout-cell><ac:layout-cell><p /></ac:layout-cell></ac:layout-section></ac:layout>`,
  }
}

const join = (blocks: Block[]): Block => ({
  view: blocks.map((block) => block.view).join(''),
  storage: blocks.map((block) => block.storage).join(''),
})
const same = (html: string): Block => ({ view: html, storage: html })
const lozenges = [
  ['aui-lozenge-success', 'Green'],
  ['aui-lozenge-current', 'Yellow'],
  ['aui-lozenge-error', 'Red'],
] as const
const emoji = [
  ['1f680', 'rocket', '&#x1f680;'],
  ['2705', 'white_check_mark', '&#x2705;'],
  ['1f525', 'fire', '&#x1f525;'],
] as const
const panels = [
  ['info', 'information', 'aui-iconfont-info'],
  ['note', 'note', 'aui-iconfont-warning'],
  ['warning', 'warning', 'aui-iconfont-error'],
  ['tip', 'tip', 'aui-iconfont-approve'],
] as const
