import type { SearchEngine } from '../../test/world/search-engine/attach.ts'

export type WrittenElement = { record_id: string; metadata?: Record<string, unknown> }

/** All elements that a tool wrote. */
export async function elementsOf(
  engine: SearchEngine,
  index: string,
  fields: string[],
): Promise<WrittenElement[]> {
  await engine.adminFetch(`/${index}/_refresh`, { method: 'POST' })
  const all: WrittenElement[] = []
  const query = { bool: { must_not: { term: { element_id: 'millrace_control' } } } }
  let page = await scroll(engine, `/${index}/_search?scroll=1m`, { size: 5000, _source: fields, query })
  while (page.hits.hits.length > 0) {
    all.push(...page.hits.hits.map(({ _source }) => _source))
    page = await scroll(engine, '/_search/scroll', { scroll: '1m', scroll_id: page._scroll_id })
  }
  return all
}

type ScrollPage = { _scroll_id: string; hits: { hits: { _source: WrittenElement }[] } }

async function scroll(engine: SearchEngine, path: string, body: object): Promise<ScrollPage> {
  const response = await engine.adminFetch(path, { body })
  if (!response.ok) throw new Error(`reading the index: ${await response.text()}`)
  return (await response.json()) as ScrollPage
}

/** `…/123` of Millrace and `123` of the others are the same page. */
export const pageIdOf = ({ record_id: id }: WrittenElement): string => id.slice(id.lastIndexOf('/') + 1)
