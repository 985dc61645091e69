import type { Body } from './model/model.ts'
import { createRandom, type Random } from './model/random.ts'
import { emojiImage, fileLink, storedImage } from './render/images.ts'
import { escapeMarkup } from './render/macro.ts'
import { capital, paragraph, sentence, type Topic } from './words.ts'

/** What a body may refer to: people, pages and attachments of the same wiki. */
export interface BodyContext {
  seed: number
  topic: Topic
  people: readonly { accountId: string; name: string }[]
  links: readonly { id: string; title: string; spaceKey: string }[]
  image?: { title: string }
  file?: { title: string }
}

/** In storage format, created at once because a benchmark reads it. */
export function generateBody(context: BodyContext): Body {
  // A round through a Buffer makes one flat string that serialises fast.
  return { storage: Buffer.from(blocksOf(context).join('')).toString() }
}

/** 3 to 24 KB; rendered, 11 KB on average. */
function blocksOf(context: BodyContext): string[] {
  const random = createRandom(context.seed)
  const goal = 2600 + Math.floor(random.next() ** 2.2 * 17_200)
  const blocks: string[] = []
  if (random.chance(0.25)) blocks.push(tableOfContents)
  blocks.push(text(random, context))
  // A few pages leave Latin-1, which doubles the memory of their text.
  if (random.chance(0.05)) blocks.push('<p>Übersicht — résumé, “notes”, Ελληνικά, 日本語のメモ 🚀</p>')
  if (context.image !== undefined) blocks.push(storedImage(context.image.title))
  let size = 0
  while (size < goal) {
    const section = [heading(random, context.topic), text(random, context)]
    for (let left = random.int(1, 3); left > 0; left--) section.push(random.pick(makers)(random, context))
    const block = random.chance(0.1) ? layout(section) : section.join('')
    size += block.length
    blocks.push(block)
  }
  if (context.file !== undefined) blocks.push(`<p>${fileLink({ title: context.file.title })}</p>`)
  return blocks
}

type Maker = (random: Random, context: BodyContext) => string

const text: Maker = (random, context) => {
  const words = paragraph(random, context.topic)
  const before = `<p>${words}`
  switch (random.int(0, 5)) {
    case 0: {
      const person = random.pick(context.people)
      return `${before} Ask <ac:link><ri:user ri:account-id="${person.accountId}" /></ac:link> first.</p>`
    }
    case 1: {
      if (context.links.length === 0) return `${before}</p>`
      const link = random.pick(context.links)
      return `${before} See <ac:link><ri:page ri:content-title="${escapeMarkup(link.title)}" ri:space-key="${link.spaceKey}" /></ac:link>.</p>`
    }
    case 2: {
      const colour = random.pick(colours)
      const title = random.pick(['DONE', 'IN PROGRESS', 'BLOCKED', 'PLANNED'])
      return `${before} <ac:structured-macro ac:name="status" ac:schema-version="1"><ac:parameter ac:name="title">${title}</ac:parameter><ac:parameter ac:name="colour">${colour}</ac:parameter></ac:structured-macro></p>`
    }
    case 3: {
      const [id, name, glyph] = random.pick(emoji)
      return `${before} ${emojiImage(id, name, glyph)}</p>`
    }
    case 4:
      return `${before} <strong>${capital(sentence(random, context.topic))}</strong> <a href="https://docs.acme.example/${context.topic.label}/${random.int(100, 999)}" class="external-link" rel="nofollow">Reference</a> and <code>${context.topic.label}.${random.int(1, 40)}.enabled=true</code>.</p>`
    default:
      return `${before} <em>${sentence(random, context.topic)}</em></p>`
  }
}

const list: Maker = (random, { topic }) => {
  const tag = random.chance(0.4) ? 'ol' : 'ul'
  const item = (inner = '') => `<li><p>${sentence(random, topic)}</p>${inner}</li>`
  const nested = () => `<ul>${Array.from({ length: random.int(1, 3) }, () => item()).join('')}</ul>`
  const items = Array.from({ length: random.int(3, 6) }, () => item(random.chance(0.3) ? nested() : ''))
  return `<${tag}>${items.join('')}</${tag}>`
}

const table: Maker = (random, { topic }) => {
  const columns = random.int(2, 4)
  const head = Array.from(
    { length: columns },
    () => `<th><p><strong>${capital(random.pick(topic.things))}</strong></p></th>`,
  )
  const cell = (span = '') =>
    `<td${span}><p>${capital(random.pick(topic.qualities))} ${random.pick(topic.things)}, ${random.int(1, 900)}</p></td>`
  const rows = Array.from({ length: random.int(3, 8) }, (_, at) => {
    if (at === 1) return `<tr>${cell(' rowspan="2"')}${cell().repeat(columns - 1)}</tr>`
    if (at === 2) return `<tr>${cell().repeat(columns - 1)}</tr>`
    if (at === 3) return `<tr>${cell(` colspan="${columns}"`)}</tr>`
    return `<tr>${Array.from({ length: columns }, () => cell()).join('')}</tr>`
  })
  return `<table data-layout="default"><tbody><tr>${head.join('')}</tr>${rows.join('')}</tbody></table>`
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
  return `<ac:structured-macro ac:name="code" ac:schema-version="1"><ac:parameter ac:name="language">${language}</ac:parameter><ac:plain-text-body><![CDATA[${source}]]></ac:plain-text-body></ac:structured-macro>`
}

const panel: Maker = (random, context) => {
  const macro = random.pick(panels)
  const inner = `<p>${paragraph(random, context.topic, 2)}</p>`
  return `<ac:structured-macro ac:name="${macro}" ac:schema-version="1"><ac:rich-text-body>${inner}</ac:rich-text-body></ac:structured-macro>`
}

const expand: Maker = (random, context) => {
  const title = capital(random.pick(context.topic.things))
  const inner = text(random, context) + list(random, context)
  return `<ac:structured-macro ac:name="expand" ac:schema-version="1"><ac:parameter ac:name="title">${title}</ac:parameter><ac:rich-text-body>${inner}</ac:rich-text-body></ac:structured-macro>`
}

const tasks: Maker = (random, { topic }) => {
  const items = Array.from({ length: random.int(2, 5) }, (_, at) => ({
    id: at + 1,
    done: random.chance(0.4),
    text: `${capital(random.pick(topic.actions))} the ${random.pick(topic.things)}`,
  }))
  return `<ac:task-list>${items.map((task) => `<ac:task><ac:task-id>${task.id}</ac:task-id><ac:task-status>${task.done ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body>${task.text}</ac:task-body></ac:task>`).join('')}</ac:task-list>`
}

// Weighted by repetition: mostly prose and lists, few macros.
const makers: readonly Maker[] = [text, text, text, list, list, table, table, code, panel, expand, tasks]

function heading(random: Random, topic: Topic): string {
  const level = random.pick([2, 2, 3, 3, 4])
  const title = capital(`${random.pick(topic.actions)} the ${random.pick(topic.things)}`)
  return `<h${level}>${title}</h${level}>`
}

const tableOfContents = '<ac:structured-macro ac:name="toc" ac:schema-version="1" />'

const layout = (blocks: string[]): string =>
  `<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell>${blocks.join('')}</ac:layout-cell><ac:layout-cell><p /></ac:layout-cell></ac:layout-section></ac:layout>`

const colours = ['Green', 'Yellow', 'Red'] as const
const emoji = [
  ['1f680', 'rocket', '&#x1f680;'],
  ['2705', 'white_check_mark', '&#x2705;'],
  ['1f525', 'fire', '&#x1f525;'],
] as const
const panels = ['info', 'note', 'warning', 'tip'] as const
