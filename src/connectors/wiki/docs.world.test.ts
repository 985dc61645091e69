import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { accounts } from '../../../test/world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/connectors/wiki.md'), 'utf8')
const { crawler } = accounts

/** The one block of the page with this first line. */
function block(info: string): string {
  const found = [...page.matchAll(/^```(\S+ .*)\n([\s\S]*?)^```$/gm)].filter(([, first]) => first === info)
  assert.equal(found.length, 1, `one block ${info}`)
  return found[0]?.[2] ?? ''
}

describe('the requests for names on the page about the source', () => {
  let wiki: Wiki
  before(async () => {
    wiki = await startWiki({ seed: 3, pages: 10, spaces: 1, people: 5, groups: 3 })
  })
  after(() => wiki.stop())

  const basic = Buffer.from(`${crawler.email}:${crawler.apiToken}`).toString('base64')
  const sites = {
    cloud: { base: () => wiki.siteUrl, authorization: `Basic ${basic}`, user: 'accountId', group: 'id' },
    'data-center': {
      ...{ base: () => wiki.dataCenterUrl, authorization: `Bearer ${crawler.pat}` },
      ...{ user: 'userKey', group: 'name' },
    },
  } as const

  for (const [name, { base, authorization, user, group }] of Object.entries(sites)) {
    for (const [kind, idField, nameField] of [
      ['user', user, 'displayName'],
      ['group', group, 'name'],
    ] as const) {
      test(`it turns a ${kind} of ${name} into a name`, async () => {
        const truth = await wiki.control.truth()
        const known = (kind === 'user' ? truth.people : truth.groups)[1] as unknown as Record<string, string>
        const [method, path = ''] = block(`http ${name} ${kind}`).trim().split(' ')
        assert.equal(method, 'GET')
        const id = encodeURIComponent(known[idField] ?? '')
        const response = await fetch(`${base()}${path.replace(/ID$/, id)}`, { headers: { authorization } })
        assert.equal(response.status, 200)
        const answer = (await response.json()) as Record<string, unknown>
        assert.equal(answer[nameField], known.name)
        const example = JSON.parse(block(`json ${name} ${kind}`)) as Record<string, unknown>
        for (const [field, value] of Object.entries(example)) {
          assert.equal(typeof answer[field], typeof value, `${field} of the example is in the answer`)
        }
      })
    }
  }
})
