import { type PersonName, people } from './people.ts'

/** Storage format as the editor writes it. Texts are XHTML; names and titles are plain. */
export const p = (...texts: string[]): string => texts.map((text) => `<p>${text}</p>`).join('')
export const h2 = (text: string): string => `<h2>${text}</h2>`
export const h3 = (text: string): string => `<h3>${text}</h3>`
export const ul = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li><p>${item}</p></li>`).join('')}</ul>`
export const ol = (items: readonly string[]): string =>
  `<ol>${items.map((item) => `<li><p>${item}</p></li>`).join('')}</ol>`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const top = head.map((cell) => `<th><p><strong>${cell}</strong></p></th>`).join('')
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td><p>${cell}</p></td>`).join('')}</tr>`)
  return `<table data-layout="default"><tbody><tr>${top}</tr>${body.join('')}</tbody></table>`
}

export const code = (language: string, source: string): string =>
  macro('code', {
    parameters: { language },
    body: `<ac:plain-text-body><![CDATA[${source}]]></ac:plain-text-body>`,
  })

export const info = (text: string): string => panel('info', text)
export const note = (text: string): string => panel('note', text)
export const warning = (text: string): string => panel('warning', text)

export function tasks(items: readonly (readonly [done: boolean, text: string])[]): string {
  const lines = items.map(
    ([done, text], at) =>
      `<ac:task><ac:task-id>${at + 1}</ac:task-id><ac:task-status>${done ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body><span class="placeholder-inline-tasks">${text}</span></ac:task-body></ac:task>`,
  )
  return `<ac:task-list>${lines.join('')}</ac:task-list>`
}

const colours = { success: 'Green', current: 'Yellow', error: 'Red' } as const

export const status = (text: string, colour: keyof typeof colours = 'success'): string =>
  macro('status', { parameters: { title: text, colour: colours[colour] } })

export const expand = (title: string, content: string): string =>
  macro('expand', { parameters: { title }, body: rich(content) })

/** Marks content that other pages may show. */
export const excerpt = (content: string, name?: string): string =>
  macro('excerpt', { parameters: name === undefined ? {} : { name }, body: rich(content) })

/** Shows an excerpt of another page in the space, to its readers. */
export const includeExcerpt = (title: string, name?: string): string =>
  macro('excerpt-include', {
    parameters: {
      '': `<ac:link><ri:page ri:content-title="${title}" /></ac:link>`,
      ...(name === undefined ? {} : { name }),
    },
  })

export const toc = (): string => macro('toc', {})
/** Titles of child pages the reader may read. */
export const children = (): string => macro('children', { parameters: { all: 'true' } })

export const mentionPerson = (name: PersonName): string =>
  `<ac:link><ri:user ri:account-id="${people[name].accountId}" /></ac:link>`

const panel = (name: string, text: string): string => macro(name, { body: rich(`<p>${text}</p>`) })

const rich = (content: string): string => `<ac:rich-text-body>${content}</ac:rich-text-body>`

function macro(
  name: string,
  { parameters = {}, body = '' }: { parameters?: Record<string, string>; body?: string },
): string {
  const fields = Object.entries(parameters).map(
    ([key, value]) => `<ac:parameter ac:name="${key}">${value}</ac:parameter>`,
  )
  return `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${fields.join('')}${body}</ac:structured-macro>`
}
