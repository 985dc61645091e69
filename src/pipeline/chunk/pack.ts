import type { Element } from '../../document.ts'
import type { CharacterSettings, TitleSettings } from './settings.ts'

export const SEPARATOR = '\n\n'

/** Elements that go into one chunk, or one element that is too long for any. */
export type Pack = { elements: Element[]; length: number }

/** Fills packs in order; `startsNew` says where one has to begin whatever room is left. */
export function packElements(
  elements: readonly Element[],
  settings: CharacterSettings,
  startsNew: (element: Element, before: Element) => boolean,
): Pack[] {
  const packs: Pack[] = []
  let current: Pack | undefined
  for (const element of elements) {
    if (element.text === '' && !isPicture(element)) continue
    const before = current?.elements.at(-1)
    if (current && before && !startsNew(element, before) && fits(current, element, settings)) {
      current.elements.push(element)
      current.length += SEPARATOR.length + element.text.length
    } else {
      current = { elements: [element], length: element.text.length }
      packs.push(current)
    }
  }
  return packs
}

function fits(current: Pack, element: Element, settings: CharacterSettings): boolean {
  if (standsAlone(element) || isAlone(current)) return false
  if (current.length > settings.new_after_n_chars) return false
  return current.length + SEPARATOR.length + element.text.length <= settings.max_characters
}

/** A heading with two words under it is no chunk worth finding: short packs take in the next one. */
export function combine(packs: Pack[], settings: TitleSettings): Pack[] {
  const combined: Pack[] = []
  for (const next of packs) {
    const last = combined.at(-1)
    if (last && takesIn(last, next, settings)) {
      for (const element of next.elements) last.elements.push(element)
      last.length += SEPARATOR.length + next.length
    } else combined.push({ elements: [...next.elements], length: next.length })
  }
  return combined
}

function takesIn(last: Pack, next: Pack, settings: TitleSettings): boolean {
  if (isAlone(last) || isAlone(next)) return false
  if (last.length >= settings.combine_text_under_n_chars) return false
  if (!settings.multipage_sections && turnsPage(next.elements[0], last.elements.at(-1))) return false
  return last.length + SEPARATOR.length + next.length <= settings.max_characters
}

export function turnsPage(element: Element | undefined, before: Element | undefined): boolean {
  return element?.metadata.page_number !== before?.metadata.page_number
}

/** A table or a picture is alone in its pack, so the first element tells. */
function isAlone({ elements: [first] }: Pack): boolean {
  return first !== undefined && standsAlone(first)
}

function standsAlone(element: Element): boolean {
  return isTable(element) || isPicture(element)
}

export function isTable(element: Element): boolean {
  return element.type === 'Table'
}

/** An image that is carried itself. One that is only named by its text is text like any other. */
export function isPicture(element: Element): boolean {
  return element.type === 'Image' && element.metadata.image_base64 !== undefined
}
