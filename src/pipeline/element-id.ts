import { hash } from 'node:crypto'
import type { Element } from '../document.ts'

/**
 * Ids that follow from content, so that equal documents give equal elements in any run and any index: a hash of
 * file name, text, page number and place among its neighbours of the same page. A document without pages says
 * "None" there, as the clients that recompute these ids do. Two could only be equal where a page number comes
 * again after another; then the later one's place is counted on, since an index would keep one of them. A
 * `parent_id` that names an element of the same list follows it to its new id; any other is dropped, since it would
 * point nowhere.
 */
export function assignElementIds(elements: readonly Element[]): Element[] {
  const renamed = new Map<string, string>()
  let page: number | undefined
  let place = 0
  let further = elements.length
  const taken = new Set<string>()
  for (const [index, { element_id, text, metadata }] of elements.entries()) {
    place = index > 0 && metadata.page_number === page ? place + 1 : 0
    page = metadata.page_number
    const content = `${metadata.filename}${text}${page ?? 'None'}`
    let id = idOf(`${content}${place}`)
    while (taken.has(id)) id = idOf(`${content}${further++}`)
    taken.add(id)
    renamed.set(element_id, id)
  }

  return elements.map((element) => {
    const { parent_id, ...metadata } = element.metadata
    const parent = parent_id === undefined ? undefined : renamed.get(parent_id)
    return {
      ...element,
      element_id: renamed.get(element.element_id) ?? element.element_id,
      metadata: parent === undefined ? metadata : { ...metadata, parent_id: parent },
    }
  })
}

function idOf(content: string): string {
  return hash('sha256', content).slice(0, 32)
}
