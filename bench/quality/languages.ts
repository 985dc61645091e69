import type { WriteItem } from '../../src/connectors/destination.ts'
import { isReadable } from '../../src/pipeline/embed/model.ts'
import type { TextEmbedder } from '../../src/pipeline/runner.ts'
import { searchHits } from '../../test/world/search-hits.ts'
import type { Engine } from './engines.ts'
import type { LanguageTexts, Section } from './language-texts.ts'
import { type Rank, rankOf, rankScores } from './ranks.ts'

const ANYONE = 'class:anonymous-users'

/** By words, by meaning and by both, for the headings of each language. */
export async function measureLanguages(
  texts: LanguageTexts[],
  { embedder, engines }: { embedder: TextEmbedder; engines: Record<string, Engine> },
  signal: AbortSignal,
): Promise<object> {
  const measured: Record<string, object> = {}
  for (const { language, sections, questions } of texts) {
    const embed = async (each: string[]) =>
      (await embedder.embed(each, signal)).map((vector) => Array.from(vector))
    const vectors = await embed(sections.map(({ text }) => text))
    const items = sections.map((section, at) => toItem(section, { language, embeddings: vectors[at]! }))
    const asked = await embed(questions.map(({ text }) => text))
    const scores: Record<string, object> = {}
    for (const [name, engine] of Object.entries(engines)) {
      await using index = await engine(items, embedder.dims, signal)
      const ranks: Record<'words' | 'meaning' | 'both', Rank[]> = { words: [], meaning: [], both: [] }
      for (const [at, { text: query, id }] of questions.entries()) {
        const request = { query, tokens: [ANYONE], size: 10, from: 0 }
        const vector = asked[at]!
        ranks.words.push(rankOf(id, (await searchHits(index.search, request, signal)).hits))
        ranks.meaning.push(rankOf(id, (await index.nearest(vector, [ANYONE], signal)).slice(0, 10)))
        // As the service does with the built-in model.
        const hybrid = isReadable(query) ? { ...request, vector } : request
        ranks.both.push(rankOf(id, (await searchHits(index.search, hybrid, signal)).hits))
      }
      scores[name] = Object.fromEntries(Object.entries(ranks).map(([by, each]) => [by, rankScores(each)]))
      console.log(language, name, JSON.stringify(scores[name]))
    }
    measured[language] = { sections: sections.length, questions: questions.length, ...scores }
  }
  return measured
}

function toItem(
  { id, title, text }: Section,
  { language, embeddings }: { language: string; embeddings: number[] },
): WriteItem {
  const metadata = { filename: `${language}.md`, filetype: 'text/markdown' }
  return {
    recordId: id,
    element: { type: 'CompositeElement', element_id: 'text', text, metadata, embeddings },
    dataSource: { title, access: { c0: [ANYONE] } },
  }
}
