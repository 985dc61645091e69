import { hash } from 'node:crypto'
import type { Element } from '../document.ts'

/** Ids depend only on file name, text, page and position; clients recompute them, with "None" for no page. */
export function assignElementIds(elements: readonly Element[]): Element[] {
  const newIds = new Map<string, string>()
  let page: number | undefined
  let path: string | undefined
  let position = 0
  // A repeated page number, or name in an archive, would cause duplicate ids.
  let nextFree = elements.length
  const usedIds = new Set<string>()
  for (const [index, { element_id, text, metadata }] of elements.entries()) {
    const continues = metadata.page_number === page && metadata.path_in_archive === path
    position = index > 0 && continues ? position + 1 : 0
    page = metadata.page_number
    path = metadata.path_in_archive
    const content = `${metadata.filename}${text}${page ?? 'None'}`
    let id = idOf(`${content}${position}`)
    while (usedIds.has(id)) id = idOf(`${content}${nextFree++}`)
    usedIds.add(id)
    newIds.set(element_id, id)
  }

  return elements.map((element) => {
    const { parent_id, ...metadata } = element.metadata
    const parent = parent_id === undefined ? undefined : newIds.get(parent_id)
    return {
      ...element,
      element_id: newIds.get(element.element_id) ?? element.element_id,
      metadata: parent === undefined ? metadata : { ...metadata, parent_id: parent },
    }
  })
}

function idOf(content: string): string {
  return hash('sha256', content).slice(0, 32)
}
