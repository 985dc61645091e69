import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import type { WikiSource } from '../../src/connectors/wiki/source.ts'
import { partitionHtml } from '../../src/pipeline/partition/html.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import { allPeople, matches } from '../world/wiki-readers.ts'
import { type Deployment, deployments, listAll, openSource, readOutcomes } from '../world/wiki-source.ts'
import { type Planted, plantWords } from './planted-wiki.ts'

/** Every word of a planted wiki is found only by readers of its page. */
const egress = createEgress({ publicOnly: false })
after(() => egress.close())

for (const seed of [1, 2]) {
  describe(`a wiki full of quotations, seed ${seed}`, () => {
    let wiki: Wiki
    let planted: Planted
    before(async () => {
      wiki = await startWiki({ seed, spaces: 4, pages: 12, people: 24, groups: 5 })
      planted = await plantWords(wiki, { seed, pages: 45 })
    })
    after(() => wiki.stop())

    for (const deployment of deployments)
      test(`it shows every word only with its own page on ${deployment.name}`, async () => {
        const source = openSource(
          { wiki, deployment, egress },
          { spaces: planted.spaces, include_comments: true },
        )
        const { cases, wrong, lost } = await compare({ wiki, planted, deployment }, source)
        assert.deepEqual(
          { wrong: wrong.length, lost: lost.length },
          { wrong: 0, lost: 0 },
          [...wrong, ...lost].slice(0, 8).join('\n'),
        )
        assert.ok(cases > 2_500, `${cases} cases`)
      })
  })
}

type On = { wiki: Wiki; planted: Planted; deployment: Deployment }

async function compare({ wiki, planted, deployment }: On, source: WikiSource) {
  const { refs } = await listAll(source)
  const texts = new Map<string, string>()
  for (const outcome of await readOutcomes(source, refs)) {
    assert.ok('document' in outcome, 'error' in outcome ? outcome.error.message : 'read again')
    const { ref, document } = outcome
    const elements = partitionHtml({
      html: String(document.body),
      title: ref.title,
      filename: ref.filename,
      filetype: document.filetype,
    })
    texts.set(ref.locator.page_id!, JSON.stringify(elements))
  }
  const people = await allPeople({ wiki, deployment }, source)
  const readers = await wiki.control.readers(deployment.site)
  const owners = planted.pages.flatMap(({ id, words }) => words.map((word) => ({ word, id })))
  const all = [...texts.values()].join('\n')
  const wrong = planted.pages.flatMap(({ hidden }) =>
    all.includes(hidden) ? [`${hidden} is hidden from some readers of its page`] : [],
  )
  const lost: string[] = []
  for (const { word, id } of owners) {
    const holding = refs.filter(({ locator }) => texts.get(locator.page_id!)?.includes(word))
    if (!holding.some(({ locator }) => locator.page_id === id)) lost.push(`${word} is not in its page ${id}`)
    for (const person of people) {
      const mayRead = readers[id]?.includes(person.accountId) ?? false
      const found = holding.filter(({ access }) => matches(access.clauses, person))
      const foreign = found.filter(({ locator }) => locator.page_id !== id || !mayRead)
      if (foreign.length > 0)
        wrong.push(
          `${person.user} finds ${word} of ${id} in ${foreign.map((ref) => ref.recordId).join(', ')}`,
        )
      else if (mayRead && found.length === 0) lost.push(`${person.user} does not find ${word} of ${id}`)
    }
  }
  return { cases: owners.length * people.length, wrong, lost }
}
