import { highlightsOf, wordsIn } from '../../kit/highlights.ts'
import { type FoundElement, readableElements } from '../../kit/readable-elements.ts'
import type { ElementRequest, SearchElement } from '../../search.ts'
import type { Run, TableClient } from '../connection.ts'
import { ARCHIVE_PATH_SQL, conditionOf } from './filters.ts'
import { createValues, storableQuery, withoutNul } from './statement.ts'
import { STEMS, TERMS, type Term, tellingTerms } from './words.ts'

/** Reads elements by id, within what the person may read. */
export function readElements(
  client: TableClient,
  request: ElementRequest,
  signal: AbortSignal,
): Promise<Map<string, SearchElement>> {
  const { tokens, query } = request
  return readableElements(request, (keys) =>
    client.read(
      'searching',
      async (run) => {
        const rows = await run<ElementRow>(
          statementOf(client.address.table, { ids: withoutNul(keys), tokens }),
        )
        const isMarked = query === undefined ? () => false : await markedWords(run, query, rows)
        return rows.map((row) => toElement(row, isMarked))
      },
      signal,
    ),
  )
}

function statementOf(table: string, { ids, tokens }: { ids: string[]; tokens: string[] }) {
  const values = createValues()
  const condition = conditionOf({ tokens }, values)
  const text = `
    select id as key, record_id, element_id, type, text, access,
      data_source->>'title' as title, data_source->>'url' as url, data_source->>'version' as version,
      data_source->>'date_modified' as date_modified,
      data_source->'record_locator'->>'space_key' as space_key,
      metadata->>'filetype' as filetype, metadata->'page_number' as page_number,
      ${ARCHIVE_PATH_SQL} as path_in_archive
    from ${table} where id = any (${values.add(ids, 'text[]')}) and ${condition}`
  return { text, values: values.list }
}

type ElementRow = Omit<FoundElement, 'type' | 'text' | 'page_number' | 'highlights'> & {
  type: string | null
  text: string | null
  page_number: unknown
}

function toElement(row: ElementRow, isMarked: (word: string) => boolean): FoundElement {
  const text = row.text ?? ''
  return {
    ...row,
    type: row.type ?? '',
    text,
    page_number: typeof row.page_number === 'number' ? row.page_number : null,
    highlights: highlightsOf(text, isMarked),
  }
}

/** Whether a word of the texts is one of the query's, by its stem. */
async function markedWords(run: Run, query: string, rows: ElementRow[]): Promise<(word: string) => boolean> {
  const terms = await run<Term>({ text: TERMS, values: [storableQuery(query)] })
  if (terms.length === 0) return () => false
  const telling = tellingTerms(terms)
  const wanted = new Set((telling.length > 0 ? telling : terms).map(({ lexeme }) => lexeme))
  const matches = rows.flatMap(({ text }) => wordsIn(text ?? ''))
  const words = [...new Set(matches.flatMap(({ word, isSign }) => (isSign ? [] : [word])))]
  const found = await run<{ word: string; stems: string[] }>({ text: STEMS, values: [words] })
  const forms = found.filter(({ stems }) => stems.some((stem) => wanted.has(stem)))
  const marked = new Set([...wanted, ...forms.map(({ word }) => word)])
  return (word) => marked.has(word)
}
