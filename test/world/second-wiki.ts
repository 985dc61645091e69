import assert from 'node:assert/strict'
import { contents, type Indexed } from './agreement.ts'
import { type Flow, type FlowOptions, makeFlow, run } from './flow.ts'
import { startWiki, type Wiki } from './wiki/start.ts'
import type { World } from './world.ts'

/** Another wiki with its own workflow into the world's destination. */
export type SecondWiki = {
  wiki: Wiki
  flow: Flow
  /** Matches elements of the world's own wiki only. */
  others: { isWanted: (element: Indexed) => boolean }
  /** Its own elements, with their versions in the destination. */
  elements(): Promise<Indexed[]>
  close(): Promise<void>
}

/** The same seed gives it the spaces, ids, titles and texts of the world's wiki. */
export async function makeSecondWiki(world: World, wanted: FlowOptions = {}, seed = 3): Promise<SecondWiki> {
  const wiki = await startWiki({ seed, pages: 12, spaces: 2, people: 6, groups: 3 })
  const site = `${new URL(wiki.siteUrl).host}/`
  const isTheirs = ({ _source }: Indexed) => _source.record_id.startsWith(site)
  const others = { isWanted: (element: Indexed) => !isTheirs(element) }
  try {
    const flow = await makeFlow(world, {
      ...wanted,
      suffix: '-second',
      source: { url: wiki.siteUrl, ...wanted.source },
    })
    const { details } = await run(world, flow)
    assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
    const elements = () => contents(world, { isWanted: isTheirs })
    assert.ok((await elements()).length > 0)
    return { wiki, flow, others, elements, close: wiki.stop }
  } catch (error) {
    await wiki.stop()
    throw error
  }
}
