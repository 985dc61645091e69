import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, small } from '../../../test/world/sites.ts'
import { listAll } from '../../../test/world/wiki-source.ts'
import type { Egress } from '../egress/egress.ts'
import { wikiSchema } from './config.ts'
import { openWiki } from './source.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

onBothSites('a source with a share of the requests', small, (site) => {
  /** The most requests that a listing has at the same time. */
  async function mostAtOnce(share?: number): Promise<number> {
    let [active, most] = [0, 0]
    const egress: Egress = {
      ...site.egress,
      request: async (...request) => {
        most = Math.max(most, ++active)
        return site.egress.request(...request).finally(() => active--)
      },
    }
    const config = wikiSchema.parse(site.deployment.signIn(site.wiki, 'crawler'))
    await listAll(openWiki(config, { egress, log, ...(share ? { share } : {}) }))
    return most
  }

  test('sends at most that part of them at once', async () => {
    assert.ok((await mostAtOnce(0.5)) <= 2)
    assert.ok((await mostAtOnce()) > 2)
  })
})
