import { escapeMarkup } from './render/macro.ts'

/** Pieces of storage format for tests and for the generator. */
export interface MacroParts {
  id?: string
  /** Values are storage: plain text has to be escaped. */
  parameters?: Record<string, string>
  rich?: string
  plain?: string
}

export function macro(name: string, { id, parameters = {}, rich, plain }: MacroParts = {}): string {
  const parameterTags = Object.entries(parameters)
    .map(([key, value]) => `<ac:parameter ac:name="${key}">${value}</ac:parameter>`)
    .join('')
  const body =
    rich !== undefined
      ? `<ac:rich-text-body>${rich}</ac:rich-text-body>`
      : plain !== undefined
        ? `<ac:plain-text-body>${cdata(plain)}</ac:plain-text-body>`
        : ''
  const idAttribute = id === undefined ? '' : ` ac:macro-id="${id}"`
  return `<ac:structured-macro ac:name="${name}" ac:schema-version="1"${idAttribute}>${parameterTags}${body}</ac:structured-macro>`
}

/** A section end in the text splits it into two sections. */
export const cdata = (text: string): string => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

export const pageRef = (title: string, spaceKey?: string): string =>
  `<ri:page ri:content-title="${escapeMarkup(title)}"${spaceKey === undefined ? '' : ` ri:space-key="${spaceKey}"`} />`

export const linkTo = (title: string, spaceKey?: string): string =>
  `<ac:link>${pageRef(title, spaceKey)}</ac:link>`

export const include = (title: string, spaceKey?: string): string =>
  macro('include', { parameters: { '': linkTo(title, spaceKey) } })

export function excerptInclude(
  title: string,
  { spaceKey, name, nopanel }: { spaceKey?: string; name?: string; nopanel?: boolean } = {},
): string {
  const parameters = {
    '': linkTo(title, spaceKey),
    ...(name === undefined ? {} : { name: escapeMarkup(name) }),
    ...(nopanel === true ? { nopanel: 'true' } : {}),
  }
  return macro('excerpt-include', { parameters })
}

export const excerpt = (rich: string, parameters: Record<string, string> = {}): string =>
  macro('excerpt', { parameters, rich })

export const mentionOf = (accountId: string): string =>
  `<ac:link><ri:user ri:account-id="${accountId}" /></ac:link>`

export function taskList(tasks: readonly (readonly [done: boolean, body: string])[]): string {
  const items = tasks.map(
    ([done, body], at) =>
      `<ac:task><ac:task-id>${at + 1}</ac:task-id><ac:task-uuid>00000000-0000-4000-b000-${String(at + 1).padStart(12, '0')}</ac:task-uuid><ac:task-status>${done ? 'complete' : 'incomplete'}</ac:task-status><ac:task-body>${body}</ac:task-body></ac:task>`,
  )
  return `<ac:task-list>${items.join('')}</ac:task-list>`
}
