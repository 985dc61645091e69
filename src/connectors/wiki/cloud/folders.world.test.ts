import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { memoryDecisions } from '../../../../test/world/memory-decisions.ts'
import { startWiki, type Wiki } from '../../../../test/world/wiki/start.ts'
import { wrongReaders } from '../../../../test/world/wiki-readers.ts'
import { cloud as deployment, listAll } from '../../../../test/world/wiki-source.ts'
import { createEgress } from '../../egress/guard.ts'
import { wikiSchema } from '../config.ts'
import { openWiki } from '../source.ts'

/** Every page is below folders, and more people read the spaces than can be checked one by one. */
const SITE = { seed: 12, spaces: 10, groups: 12, folders: 'ordinary' } as const

for (const { name, isHidden, size, limits } of [
  { name: 'discloses', isHidden: false, size: { pages: 1650, people: 300 }, limits: [0.042, 0.038] },
  // A restricted folder costs a check for each person once.
  { name: 'does not disclose', isHidden: true, size: { pages: 300, people: 60 }, limits: [8, 0.3] },
])
  describe(`a site that ${name} the restrictions of folders`, () => {
    let wiki: Wiki
    const egress = createEgress({ publicOnly: false })
    const decisions = memoryDecisions()
    before(async () => {
      wiki = await startWiki({ ...SITE, ...size, settings: { folderRestrictionsHidden: isHidden } })
    })
    after(async () => {
      await egress.close()
      await wiki.stop()
    })
    const open = () => {
      const config = { ...deployment.signIn(wiki, 'crawler'), max_num_of_docs_from_each_space: 10_000 }
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      return openWiki(wikiSchema.parse(config), { egress, log, decisions })
    }

    test('shows pages to exactly their readers, with few requests in every listing after the first', async (t) => {
      for (const limit of limits) {
        await wiki.control.resetCounts()
        const source = open()
        const { refs, complete } = await listAll(source)
        const { requests } = await wiki.control.counts()
        t.diagnostic(`${requests} requests for ${refs.length} pages`)
        assert.ok(complete && refs.length >= size.pages)
        assert.ok(requests <= refs.length * limit, `${requests} requests for ${refs.length} pages`)
        assert.deepEqual(await wrongReaders({ wiki, deployment }, source, refs), [])
      }
    })
  })
