import { matchClauses } from '../../../permissions/algebra.ts'
import { highlightsOf, wordsIn } from '../../kit/highlights.ts'
import type { ElementRequest, SearchElement } from '../../search.ts'
import type { Run, TableClient } from '../connection.ts'
import { conditionOf } from './filters.ts'
import { createValues, storableQuery, withoutNul } from './statement.ts'
import { TERMS, type Term } from './words.ts'

const BATCH_SIZE = 500

/** Reads elements by id, within what the person may read. */
export async function readElements(
  client: TableClient,
  { keys, tokens, query }: ElementRequest,
  signal: AbortSignal,
): Promise<Map<string, SearchElement>> {
  const found = new Map<string, SearchElement>()
  if (tokens.length === 0) return found
  for (let at = 0; at < keys.length; at += BATCH_SIZE) {
    const ids = withoutNul(keys.slice(at, at + BATCH_SIZE))
    const batch = await client.read(
      'searching',
      async (run) => {
        const rows = await run<ElementRow>(statementOf(client.address.table, { ids, tokens }))
        const isMarked = query === undefined ? () => false : await markedWords(run, query, rows)
        return rows.map((row) => ({ row, highlights: highlightsOf(row.text ?? '', isMarked) }))
      },
      signal,
    )
    for (const { row, highlights } of batch) {
      const element = toElement(row, highlights, new Set(tokens))
      if (element) found.set(row.id, element)
    }
  }
  return found
}

function statementOf(table: string, { ids, tokens }: { ids: string[]; tokens: string[] }) {
  const values = createValues()
  const condition = conditionOf({ tokens }, values)
  const text = `
    select id, record_id, element_id, type, text, access,
      data_source->>'title' as title, data_source->>'url' as url, data_source->>'version' as version,
      data_source->>'date_modified' as date_modified,
      data_source->'record_locator'->>'space_key' as space_key,
      metadata->>'filetype' as filetype, metadata->'page_number' as page_number
    from ${table} where id = any (${values.add(ids, 'text[]')}) and ${condition}`
  return { text, values: values.list }
}

type ElementRow = {
  id: string
  record_id: string
  element_id: string
  type: string | null
  text: string | null
  title: string | null
  url: string | null
  version: string | null
  date_modified: string | null
  space_key: string | null
  filetype: string | null
  page_number: unknown
  access: Record<string, string | string[]>
}

function toElement(
  { id: _, access, ...row }: ElementRow,
  highlights: string[],
  tokens: ReadonlySet<string>,
): SearchElement | null {
  const clauses = Object.entries(access).map(([name, entries]) => [name, [entries].flat()] as const)
  const matched = matchClauses(Object.fromEntries(clauses), tokens)
  // Checks the element again after the filter.
  if (!matched) return null
  return {
    ...row,
    type: row.type ?? '',
    text: row.text ?? '',
    page_number: typeof row.page_number === 'number' ? row.page_number : null,
    highlights,
    granted_by: [...new Set([...matched.values()].flat())],
  }
}

/** Whether a word of the texts is one of the query's, by its stem. */
async function markedWords(run: Run, query: string, rows: ElementRow[]): Promise<(word: string) => boolean> {
  const terms = await run<Term>({ text: TERMS, values: [storableQuery(query)] })
  if (terms.length === 0) return () => false
  const telling = terms.filter(({ isStop }) => !isStop)
  const wanted = new Set((telling.length > 0 ? telling : terms).map(({ lexeme }) => lexeme))
  const words = [...new Set(rows.flatMap(({ text }) => wordsIn(text ?? '').map((match) => match.word)))]
  const stems = await run<{ word: string; stem: string | null }>({
    text: `select word, (ts_lexize('pg_catalog.english_stem', word))[1] as stem from unnest($1::text[]) as word`,
    values: [words],
  })
  const marked = new Set(stems.flatMap(({ word, stem }) => (wanted.has(stem ?? word) ? [word] : [])))
  return (word) => marked.has(word)
}
