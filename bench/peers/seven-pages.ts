import { ABOVE, type Name, pages } from '../../test/oracle/seven-pages.ts'
import type { SearchEngine } from '../../test/world/search-engine/attach.ts'
import { createSevenPages, type NamedList, namedIn } from '../../test/world/seven-pages.ts'
import { startWiki } from '../../test/world/wiki/start.ts'
import { elementsOf, pageIdOf, type WrittenElement } from './elements.ts'
import type { Tool } from './tool.ts'

export type Verdict = 'exact' | 'too many' | 'too few' | 'too many, too few' | 'none' | 'left out'
export type SevenPageResult = { title: string; verdict: Verdict; expected: Name[]; emitted: unknown }

/** What a tool writes as permissions of reading on the seven pages. */
export async function checkSevenPages(
  tool: Tool,
  engine: SearchEngine,
  newIndex: () => Promise<string>,
): Promise<SevenPageResult[]> {
  const wiki = await startWiki({
    seed: 10,
    pages: 20,
    spaces: 4,
    people: 8,
    groups: 3,
    settings: { undeclared: 'served' },
  })
  try {
    const idOf = await createSevenPages(wiki)
    const index = await newIndex()
    await tool.run({ wiki, engine, index })
    const written = Map.groupBy(await elementsOf(engine, index, ['record_id', 'metadata']), pageIdOf)
    return pages
      .filter(({ title }) => title !== ABOVE)
      .map(({ title, readers }) => {
        const [element] = written.get(idOf.get(title) ?? '') ?? []
        return { title, expected: readers, ...judge(element, readers) }
      })
  } finally {
    await wiki.stop()
  }
}

function judge(
  element: WrittenElement | undefined,
  readers: Name[],
): Pick<SevenPageResult, 'verdict' | 'emitted'> {
  if (element === undefined) return { verdict: 'left out', emitted: null }
  const list = readList(element)
  if (list === undefined) return { verdict: 'none', emitted: null }
  const named = namedIn(withPlainClasses(list))
  const tooMany = named.some((name) => !readers.includes(name))
  const tooFew = readers.some((name) => !named.includes(name))
  const faults = [tooMany ? 'too many' : '', tooFew ? 'too few' : ''].filter(Boolean).join(', ')
  return { verdict: (faults || 'exact') as Verdict, emitted: list }
}

/** Millrace nests the source's metadata, unstructured-ingest flattens it; the others write no permissions. */
function readList({ metadata = {} }: WrittenElement): NamedList | undefined {
  const nested = metadata.data_source as { permissions_data?: unknown } | undefined
  const data = (nested?.permissions_data ?? metadata['data_source-permissions_data']) as
    | { read?: NamedList }[]
    | undefined
  return data?.find(({ read }) => read !== undefined)?.read
}

const withPlainClasses = (list: NamedList): NamedList => ({
  ...list,
  access_classes: (list.access_classes ?? []).map((name) => name.toLowerCase().replaceAll('_', '-')),
})
