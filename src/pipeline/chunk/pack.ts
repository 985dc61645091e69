import type { Element } from '../../document.ts'
import type { CharacterSettings, TitleSettings } from './settings.ts'

export const SEPARATOR = '\n\n'

/** Elements for one chunk, or a single element that is too long. */
export type Pack = { elements: Element[]; length: number }

/** Fills packs in order; `startsNew` forces a new pack. */
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
    const startsHere = before && (isInOtherFile(element, before) || startsNew(element, before))
    if (current && before && !startsHere && fits(current, element, settings)) {
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
  if (isSeparate(element) || isSeparatePack(current)) return false
  if (current.length > settings.new_after_n_chars) return false
  return current.length + SEPARATOR.length + element.text.length <= settings.max_characters
}

/** Joins short packs with the next one: a heading with two words is a poor search hit. */
export function combine(packs: Pack[], settings: TitleSettings): Pack[] {
  const combined: Pack[] = []
  for (const next of packs) {
    const last = combined.at(-1)
    if (last && canJoin(last, next, settings)) {
      for (const element of next.elements) last.elements.push(element)
      last.length += SEPARATOR.length + next.length
    } else combined.push({ elements: [...next.elements], length: next.length })
  }
  return combined
}

function canJoin(last: Pack, next: Pack, settings: TitleSettings): boolean {
  if (isSeparatePack(last) || isSeparatePack(next)) return false
  if (isInOtherFile(next.elements[0], last.elements.at(-1))) return false
  if (last.length >= settings.combine_text_under_n_chars) return false
  if (!settings.multipage_sections && isOnOtherPage(next.elements[0], last.elements.at(-1))) return false
  return last.length + SEPARATOR.length + next.length <= settings.max_characters
}

/** Of an archive. */
export function isInOtherFile(element: Element | undefined, before: Element | undefined): boolean {
  return element?.metadata.path_in_archive !== before?.metadata.path_in_archive
}

export function isOnOtherPage(element: Element | undefined, before: Element | undefined): boolean {
  return element?.metadata.page_number !== before?.metadata.page_number
}

/** A table or picture is always alone in its pack. */
function isSeparatePack({ elements: [first] }: Pack): boolean {
  return first !== undefined && isSeparate(first)
}

function isSeparate(element: Element): boolean {
  return isTable(element) || isPicture(element)
}

export function isTable(element: Element): boolean {
  return element.type === 'Table'
}

/** An image with its own data; an image with only alt text counts as text. */
export function isPicture(element: Element): boolean {
  return element.type === 'Image' && element.metadata.image_base64 !== undefined
}
