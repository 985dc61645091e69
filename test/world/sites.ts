import { after, afterEach, before, describe } from 'node:test'
import type { Egress } from '../../src/connectors/egress/egress.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import type { WikiSource } from '../../src/connectors/wiki/source.ts'
import type { DocumentRef } from '../../src/document.ts'
import type { AccountName } from './wiki/accounts.ts'
import type { SpacePermission } from './wiki/model/model.ts'
import { type Control, startWiki, type Wiki, type WikiOptions } from './wiki/start.ts'
import { addSpace, type Deployment, deployments, listAll, openSource } from './wiki-source.ts'

/** A wiki on one of its deployments. */
export type Site = {
  deployment: Deployment
  isCloud: boolean
  readonly wiki: Wiki
  readonly control: Control
  readonly egress: Egress
  /** Each test has its own and lists nothing else. */
  newSpace(...readers: SpacePermission['principal'][]): Promise<string>
  newPage(space: string, more?: object): Promise<string>
  /** A source of these spaces, or of all. */
  open(spaces?: string | string[], more?: object, account?: AccountName): WikiSource
  refsOf(spaces: string | string[], more?: object): Promise<DocumentRef[]>
  /** The listed ids, without the home page that every space has. */
  listedIn(space: string, more?: object): Promise<(string | undefined)[]>
}

export type SitesOptions = {
  wiki: WikiOptions
  /** Settings of every source. */
  settings?: object
  egress?: () => Promise<Egress>
  /** Content before the first test, in addition to the generated pages. */
  fill?: (wiki: Wiki) => Promise<void>
}

/** Enough for tests that create their own pages. */
export const small: SitesOptions = { wiki: { seed: 51, spaces: 3, pages: 30, people: 10, groups: 4 } }

/** Runs the same tests on both deployments of one wiki. */
export function onBothSites(name: string, options: SitesOptions, tests: (site: Site) => void): void {
  let starting: Promise<{ wiki: Wiki; egress: Egress }> | undefined
  const start = async () => {
    const wiki = await startWiki(options.wiki)
    await options.fill?.(wiki)
    return { wiki, egress: (await options.egress?.()) ?? createEgress({ publicOnly: false }) }
  }
  for (const deployment of deployments)
    describe(`${name} (${deployment.name})`, () => {
      const site = siteOf(deployment, options.settings ?? {})
      before(async () => {
        starting ??= start()
        Object.assign(site, await starting)
      })
      afterEach(async () => {
        await site.control.clearFaults()
        await site.control.releaseSearch()
      })
      tests(site)
    })
  after(async () => {
    const started = await starting
    await started?.egress.close()
    await started?.wiki.stop()
  })
}

/** Opens sources on one deployment, with one egress per file. */
export function sourcesOn(deployment: Deployment): (wiki: Wiki, more?: object) => WikiSource {
  const egress = createEgress({ publicOnly: false })
  after(() => egress.close())
  return (wiki, more) => openSource({ wiki, deployment, egress }, more)
}

let spaces = 0

/** Its wiki and egress exist once tests run. */
function siteOf(deployment: Deployment, settings: object): Site {
  const open: Site['open'] = (only, more = {}, account) => {
    const scope = only === undefined ? {} : { spaces: [only].flat() }
    return openSource(site, { ...scope, ...settings, ...more }, account)
  }
  const refsOf: Site['refsOf'] = async (only, more) => (await listAll(open(only, more))).refs
  const site = {
    deployment,
    isCloud: deployment.site === 'cloud',
    get control() {
      return site.wiki.control
    },
    newSpace: (...readers) =>
      addSpace(site.wiki, `SPACE${++spaces}`, readers.length > 0 ? readers : undefined),
    newPage: (space, more = {}) =>
      site.control.createPage({ space, title: `Page ${Math.random()}`, ...more }),
    open,
    refsOf,
    async listedIn(space, more) {
      const { spaces: all } = await site.control.truth()
      const home = all.find(({ key }) => key === space)?.homepageId
      return idsOf(await refsOf(space, more)).filter((id) => id !== home)
    },
  } as Site & { wiki: Wiki; egress: Egress }
  return site
}

export function idsOf(refs: DocumentRef[]): (string | undefined)[] {
  return refs.map(({ locator }) => locator.page_id)
}
