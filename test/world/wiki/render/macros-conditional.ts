import { inGroupNamed } from '../access/membership.ts'
import { renderChildren, type View } from '../view.ts'
import {
  escapeMarkup,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  type StoredMacro,
  withMacroAttributes,
} from './macro.ts'
import { attribute, findAll, type StorageElement, type StorageText } from './storage-tree.ts'

/** Shows the body only to the named people, or only to everyone else. */
const onlyFor =
  (shown: boolean): MacroRenderer =>
  (view, macro) =>
    isNamedIn(view, macro) === shown ? renderChildren(view, macro.rich ?? []) : ''

function isNamedIn({ world, account }: View, macro: StoredMacro): boolean {
  const people = findAll([...macro.parameters.values()], ({ tag }) => tag === 'ri:user')
  const groups = parameterText(macro, 'group')
    .split(',')
    .map((name) => name.trim())
  const person = world.people.get(account.accountId)
  return (
    people.some(
      (ri) =>
        attribute(ri, 'ri:account-id') === account.accountId ||
        (person !== undefined && attribute(ri, 'ri:userkey') === person.userKey),
    ) || groups.some((name) => name !== '' && inGroupNamed(world, account.accountId, name))
  )
}

/** Wiki markup as typed, with its conditional parts for the viewer. */
function wikiMarkup(view: View, { plain = '' }: StoredMacro): string {
  let html = ''
  let from = 0
  for (const { 0: whole, 1: name = '', 2: typed = '', 3: inside = '', index } of plain.matchAll(
    CONDITIONAL,
  )) {
    const macro = {
      name,
      id: undefined,
      parameters: typedParameters(typed),
      rich: literal(inside),
      plain: '',
    }
    const shown = onlyFor(name === 'show-if')(view, macro)
    html += escapeMarkup(plain.slice(from, index)) + withMacroAttributes(view, macro, shown)
    from = index + whole.length
  }
  return `<pre class="wiki-markup">${html}${escapeMarkup(plain.slice(from))}</pre>`
}

const CONDITIONAL = /\{(show-if|hide-if)(?::([^{}]*))?\}(.*?)(?:\{\1\}|$)/gs

const literal = (text: string): StorageText[] => [{ text, literal: true }]

const typedParameters = (typed: string): Map<string, StorageElement> =>
  new Map(
    typed.split('|').map((each) => {
      const [key = '', value = ''] = each.split('=')
      return [key.trim(), { tag: 'ac:parameter', attributes: {}, children: literal(value) }]
    }),
  )

export const conditionalMacros: MacroTable = {
  'show-if': onlyFor(true),
  'hide-if': onlyFor(false),
  'unmigrated-wiki-markup': wikiMarkup,
  'unmigrated-inline-wiki-markup': wikiMarkup,
}
