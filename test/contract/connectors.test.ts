import { after, before, describe } from 'node:test'
import type { WriteItem } from '../../src/connectors/destination.ts'
import { parseAllowedHosts } from '../../src/connectors/egress/allowed-hosts.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import { postgres } from '../../src/connectors/postgres/type.ts'
import { searchindex } from '../../src/connectors/searchindex/type.ts'
import type { Source } from '../../src/connectors/source.ts'
import { wikiSchema } from '../../src/connectors/wiki/config.ts'
import { openWiki } from '../../src/connectors/wiki/source.ts'
import { wiki as wikiType } from '../../src/connectors/wiki/type.ts'
import { type FreshTable, freshTable } from '../world/fresh-table.ts'
import { type FreshIndex, freshIndex, silent } from '../world/search-engine/fresh-index.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import { cloud, dataCenter } from '../world/wiki-source.ts'
import { destinationContract } from './destination.ts'
import { sourceContract } from './source.ts'

for (const [name, deployment] of Object.entries({ 'the wiki': cloud, 'a Data Center wiki': dataCenter }))
  describe(`${name} is a source`, () => {
    let wiki: Wiki
    let source: Source
    before(async () => {
      wiki = await startWiki({ seed: 21, pages: 120, spaces: 4, people: 10, groups: 4 })
      const { host } = new URL(deployment.home(wiki))
      const egress = createEgress({ allowedHosts: parseAllowedHosts(host) })
      source = openWiki(wikiSchema.parse(deployment.signIn(wiki, 'crawler')), { egress, log: silent })
    })
    after(async () => {
      await source.close()
      await wiki.stop()
    })
    sourceContract(wikiType, () => ({
      source,
      steps: 3,
      deleteDocument: (recordId) => wiki.control.deletePage(recordId.split('/').at(-1) ?? ''),
    }))
  })

describe('the search index is a destination', () => {
  let index: FreshIndex
  before(async () => {
    index = await freshIndex()
  })
  after(() => index[Symbol.asyncDispose]())
  destinationContract(searchindex, () => ({
    destination: index.destination,
    item: contractItem,
    read: (recordId, elementId) => index.source(recordId, elementId),
    refresh: () => index.refresh(),
  }))
})

describe('a table of PostgreSQL is a destination', () => {
  let table: FreshTable
  before(async () => {
    table = await freshTable()
  })
  after(() => table[Symbol.asyncDispose]())
  destinationContract(postgres, () => ({
    destination: table.destination,
    item: contractItem,
    read: (recordId, elementId) => table.source(recordId, elementId),
    refresh: async () => {},
  }))
})

function contractItem(recordId: string, elementId: string, readers: string[]): WriteItem {
  return {
    recordId,
    element: {
      type: 'CompositeElement',
      element_id: elementId,
      text: `contract ${recordId} ${elementId}`,
      metadata: { filename: 'contract.html', filetype: 'text/html' },
    },
    dataSource: { title: recordId, url: 'https://wiki.example/1', access: { c0: readers } },
  }
}
