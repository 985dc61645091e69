import type { WriteItem } from '../src/connectors/destination.ts'
import { toNumbers } from '../src/pipeline/embed/numbers.ts'

export const DIMS = 384

/** Typical wiki chunks: 700 characters, a vector, permissions. */
export function* sampleItems(elements: number): Generator<WriteItem> {
  const vector = new Float32Array(DIMS)
  for (let at = 0; at < elements; at++) {
    const page = Math.floor(at / 11)
    for (let each = 0; each < DIMS; each++) vector[each] = Math.sin(at * 31 + each)
    yield {
      recordId: `wiki.example/${page}`,
      element: {
        type: 'CompositeElement',
        element_id: `e${at}`,
        text: `${at} The weir keeps the water level and the race carries it to the wheel. `.repeat(10),
        metadata: { filename: `${page}.html`, filetype: 'text/html', languages: ['eng'] },
        embeddings: toNumbers(vector),
      },
      dataSource: {
        url: `https://wiki.example/pages/${page}`,
        version: '3',
        title: `Page ${page}`,
        record_locator: { space_key: 'MILL', page_id: String(page) },
        permissions_data: [{ read: { users: [], groups: ['g1', 'g2'] } }],
        access: { c0: ['group:g1', 'group:g2'] },
      },
    }
  }
}
