import type { ConnectorRow } from '../store/connectors/connectors.ts'
import { foundIdOf } from './archive-file.ts'
import { documentId, titleWithPath } from './backend-documents.ts'
import type { BackendResults } from './search-backend.ts'
import type { SearchHit, SearchResults } from './shapes/search.ts'

export type DestinationResults = { destination: Pick<ConnectorRow, 'id'>; results: SearchResults }

/** Merges by rank, because the scores of two indexes cannot be compared. */
export function mergeResults(all: DestinationResults[], limit: number): BackendResults {
  const ranked = all.flatMap(({ destination, results: { hits } }) =>
    hits.map((hit, rank) => ({ hit, rank, id: documentId(destination, foundIdOf(hit)) })),
  )
  ranked.sort((a, b) => a.rank - b.rank)
  // Two indexes may hold the same document.
  const unique = new Map(ranked.toReversed().map((each) => [foundIdOf(each.hit), each]))
  const best = ranked.filter((each) => unique.get(foundIdOf(each.hit)) === each).slice(0, limit)
  return {
    documents: best.map(({ hit, id }) => ({
      id,
      title: titleWithPath(hit),
      url: hit.url ?? '',
      text: passageOf(hit),
    })),
    notes: notesOf(all.map(({ results }) => results)),
  }
}

function notesOf(results: SearchResults[]): string[] {
  const hidden = results.flatMap((each) => each.hidden).length
  return [
    ...(results.some(({ incomplete }) => incomplete)
      ? ['There may be more documents; narrow the search.']
      : []),
    ...(hidden === 1 ? ['1 space was left out, because its permissions are too old.'] : []),
    ...(hidden > 1 ? [`${hidden} spaces were left out, because their permissions are too old.`] : []),
  ]
}

/** What matches, or the beginning of the best passage. */
function passageOf({ text, highlights, passages = [] }: SearchHit): string {
  const found = new Set([...highlights, ...passages.flatMap((each) => each.highlights)].map(plainText))
  return found.size > 0 ? [...found].join(' … ') : text
}

/** Highlights are HTML with escaped text. */
function plainText(html: string): string {
  return html
    .replaceAll(/<\/?mark>/g, '')
    .replaceAll(/&(lt|gt|quot|amp|#x27|#x2F|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}
const ENTITIES: Record<string, string> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  '#x27': "'",
  '#x2F': '/',
  '#39': "'",
}
