import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DataSource } from '../../src/connectors/destination.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import type { Element } from '../../src/document.ts'
import { dataSource } from '../../src/ingest/data-source.ts'
import { ANONYMOUS, LICENSED, personTokens, siteNaming } from '../../src/permissions/principals.ts'
import { defaultNodes, plan } from '../../src/pipeline/nodes.ts'
import type { RunnerFactory } from '../../src/pipeline/runner-factory.ts'
import { siteOfRecord } from '../../src/record-id.ts'
import { samplePages } from '../../test/world/sample/pages.ts'
import { groups, type PersonName, people } from '../../test/world/sample/people.ts'
import { startWiki } from '../../test/world/wiki/start.ts'
import { cloud, listAll, openSource } from '../../test/world/wiki-source.ts'

export type Chunk = { recordId: string; element: Element & { embeddings: number[] }; dataSource: DataSource }
/** `asked` in other words than the page, or `typed` as keywords. */
export type Question = { kind: 'asked' | 'typed'; question: string; page: string; vector: number[] }

const NONSENSE = [
  ...['zzxxqq', 'asdfgh', 'qwrtpsdf', 'xkcdvbn', 'lkjhgfd', 'zxqv wkjp', 'hhhjjjkkk', 'fghjkl', 'vbnmqw'],
  ...['pqowieuryt', 'aaaaaa', 'xyzzyx', 'qqqqqqqq', 'jkl;asdf', 'wvxq zrtp', 'blorptag', 'snarfle wibble'],
  ...['frabjous grimble', 'ghtyru', 'zzz', 'x7q9z2', 'kqzvw plmnb', 'drftgy huji', 'mnbvcxz', 'oiuytrewq'],
  ...['9f8a7c6b', 'klmpqrst', 'tttyyyuuu', 'wxyzwxyz', 'hgfdsapoiu', 'bnghjt mkoplq', 'xxzzyyww', 'gggghhhh'],
  ...['uiopjkl', 'zrkt', 'vlqxm', 'blah foo qux', 'dfsdfsdf', 'ewrwer', 'qazwsx', '1qaz2wsx', 'yxcvbnm'],
]

export type Corpus = {
  chunks: Chunk[]
  questions: Question[]
  /** Queries that mean nothing. */
  nonsense: Question[]
  /** The records that the wiki lets a person read. */
  readable(name: PersonName): Set<string>
}

/** The sample wiki, read, chunked and embedded, with questions. */
export async function openCorpus(runners: RunnerFactory, signal: AbortSignal): Promise<Corpus> {
  const wiki = await startWiki({ sample: 'demo' })
  const egress = createEgress({ publicOnly: false })
  try {
    const source = openSource({ wiki, deployment: cloud, egress })
    const runner = await runners.create(plan(defaultNodes()))
    const { refs } = await listAll(source)
    const chunks: Chunk[] = []
    for await (const outcome of source.read(refs, runner.reads, signal)) {
      if (!('document' in outcome)) throw new Error(`${outcome.ref.title} was not read`)
      const { ref, document } = outcome
      const { elements } = await runner.work(document, signal)
      const vectors = await runner.embedder!.embed(
        elements.map(({ text }) => text),
        signal,
      )
      const about = dataSource(ref, document.version, new Date(0))
      for (const [at, element] of elements.entries()) {
        const embeddings = Array.from(vectors[at]!)
        chunks.push({ recordId: ref.recordId, element: { ...element, embeddings }, dataSource: about })
      }
    }
    const readers = await wiki.control.readers()
    const pageIds = new Map(refs.map(({ recordId, locator }) => [recordId, locator.page_id!]))
    const recordOf = new Map(refs.map(({ title, recordId }) => [title, recordId]))
    const embed = async (text: string) => Array.from((await runner.embedder!.embed([text], signal))[0]!)
    const nonsense = NONSENSE.map(async (question): Promise<Question> => {
      return { kind: 'typed', question, page: '', vector: await embed(question) }
    })
    return {
      chunks,
      questions: await readQuestions(recordOf, embed),
      nonsense: await Promise.all(nonsense),
      readable: (name) =>
        new Set(
          [...pageIds].flatMap(([recordId, id]) =>
            readers[id]?.includes(people[name].accountId) ? [recordId] : [],
          ),
        ),
    }
  } finally {
    await egress.close()
    await wiki.stop()
  }
}

async function readQuestions(
  recordOf: Map<string, string>,
  embed: (text: string) => Promise<number[]>,
): Promise<Question[]> {
  const json = await readFile(join(import.meta.dirname, 'questions.json'), 'utf8')
  const written = JSON.parse(json) as Omit<Question, 'vector'>[]
  const titles = new Map(samplePages.map(({ slug, title }) => [slug, title]))
  const questions: Question[] = []
  for (const { page: slug, ...asked } of written) {
    const page = recordOf.get(titles.get(slug) ?? '')
    if (!page) throw new Error(`there is no page ${slug} to ask for`)
    questions.push({ ...asked, page, vector: await embed(asked.question) })
  }
  return questions
}

/** The access tokens of a person. */
export function tokensOf(name: PersonName, recordId: string): string[] {
  const ids = Object.values(groups).flatMap(({ id, members }) => (members.includes(name) ? [id] : []))
  const person = { user: people[name].accountId, groups: ids, classes: [ANONYMOUS, LICENSED] }
  return personTokens(person, siteNaming(siteOfRecord(recordId), 'global'))
}
