import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { openEgress, silent, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { NO_ONE_TOKEN } from '../../permissions/principals.ts'
import { openSearchIndex } from './destination.ts'

type Block = { info: string; text: string }

const page = await readFile(join(import.meta.dirname, '../../../docs/connectors/searchindex.md'), 'utf8')
const blocks: Block[] = [...page.matchAll(/^```json (.*)\n([\s\S]*?)^```$/gm)].map(([, info, text]) => ({
  info: info ?? '',
  text: text ?? '',
}))
const the = (info: string): string => {
  const found = blocks.filter((block) => block.info === info)
  assert.equal(found.length, 1, `one block ${info}`)
  return found[0]?.text ?? ''
}
const { signal } = new AbortController()
const tokens = JSON.parse(the('tokens')) as string[]
const embeddings = [1, 0, 0]
const NOBODY = ['class:anonymous-users']
const SEEN = { [tokens.join()]: ['ada', 'open', 'space'], [NOBODY.join()]: ['open'] }

/** A query of the page with everything filled in. */
function filled(text: string, who: string[]): Record<string, unknown> {
  const filter = the('filter').replaceAll('TOKENS', JSON.stringify(who))
  return JSON.parse(text.replaceAll('FILTER', filter).replaceAll('VECTOR', JSON.stringify(embeddings)))
}

test('every block of the page is run, or says that it is not', () => {
  const kinds =
    /^(filter|tokens|not run|(elasticsearch|opensearch)-role|(elasticsearch|opensearch|both) (PUT|POST) \/\S+)$/
  assert.deepEqual(
    blocks.map(({ info }) => info).filter((info) => !kinds.test(info)),
    [],
  )
  assert.equal(blocks.filter(({ info }) => info.endsWith('/_search')).length, 3)
})

for (const cluster of CLUSTERS) {
  const kind = cluster.name.toLowerCase()

  describe(`the page about the destination, with ${cluster.name},`, () => {
    const name = `docs-${randomUUID()}`
    const egress = openEgress()
    const mine = (text: string) => text.replaceAll('"wiki"', JSON.stringify(name))
    const found = async (body: object) => {
      const { adminFetch } = await cluster.engine()
      const answer = await adminFetch(`/${name}/_search`, { body: { ...body, size: 50 } })
      const { hits } = (await answer.json()) as { hits?: { hits: { _source: { element_id: string } }[] } }
      assert.ok(answer.ok && hits, `${answer.status}`)
      return hits.hits.map(({ _source }) => _source.element_id).sort()
    }

    before(async () => {
      const { adminFetch, createApiKey, url } = await cluster.engine()
      const made = await adminFetch(`/${name}`, { method: 'PUT', body: JSON.parse(the(`${kind} PUT /wiki`)) })
      assert.equal(made.status, 200)
      const key = cluster.isSecured
        ? ((await (
            await adminFetch('/_security/api_key', {
              body: JSON.parse(mine(the('elasticsearch POST /_security/api_key'))),
            })
          ).json()) as { encoded: string })
        : await createApiKey(name)
      const config = { hosts: [url], search_api_key: key.encoded, index_name: name }
      const destination = openSearchIndex(config, { egress, log: silent })
      const report = await destination.check(signal)
      assert.equal(report.ok, true, report.reason ?? '')
      await destination.prepare({ dims: embeddings.length }, signal)
      const item = (id: string, access: Record<string, string[]> | undefined) =>
        writeItem(id, {
          text: 'water',
          embeddings,
          ...(access ? { access } : { more: { access: undefined } }),
        })
      const closed = [1, 2, 3, 4, 5, 6, 7].map((number) =>
        item(`closed by c${number}`, { c0: ['group:wiki.example/millers'], [`c${number}`]: [NO_ONE_TOKEN] }),
      )
      const items = [
        ...closed,
        item('closed by c0', { c0: [NO_ONE_TOKEN] }),
        item('bare', undefined),
        item('open', { c0: ['class:anonymous-users'] }),
        item('space', { c0: ['group:wiki.example/millers'] }),
        item('ada', {
          c0: ['group:wiki.example/millers'],
          c1: ['class:wiki.example/all-licensed-users'],
          c2: ['user:557058:ada'],
        }),
      ]
      assert.deepEqual(await destination.write(items, 1, signal), [])
      await adminFetch(`/${name}/_refresh`, { method: 'POST' })
    })
    after(async () => {
      await egress.close()
      await (await cluster.engine()).adminFetch(`/${name}`, { method: 'DELETE' })
    })

    for (const { info, text } of blocks.filter((block) => /^\w+ POST \/wiki\/_search$/.test(block.info))) {
      if (!info.startsWith(kind) && !info.startsWith('both')) continue
      test(`has a query (${info}) that shows each person what they may read`, async () => {
        for (const who of [tokens, NOBODY]) assert.deepEqual(await found(filled(text, who)), SEEN[who.join()])
        assert.deepEqual(await found(filled(text, [])), [])
        const unfiltered = filled(text.replaceAll('FILTER', '[]'), [])
        assert.equal((await found(unfiltered)).length, 12, 'it is the filter that hides')
      })
    }

    test('has a role whose query shows each person what they may read', async () => {
      const role = JSON.parse(the(`${kind}-role`)) as Role
      const source = role.indices?.[0]?.query.template.source ?? role.index_permissions?.[0]?.dls ?? ''
      for (const who of [tokens, NOBODY, []]) {
        const listed = JSON.stringify(who)
        const query = source
          .replaceAll('{{#toJson}}_user.metadata.tokens{{/toJson}}', listed)
          .replaceAll(/\[\$\{user\.roles\}\]/g, listed)
        assert.doesNotMatch(query, /\$\{|\{\{/)
        assert.deepEqual(await found({ query: JSON.parse(query) }), SEEN[who.join()] ?? [])
      }
    })
  })
}

type Role = {
  indices?: { query: { template: { source: string } } }[]
  index_permissions?: { dls: string }[]
}
