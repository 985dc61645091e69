import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { accounts } from '../../../test/world/wiki/accounts.ts'
import { pngFile } from '../../../test/world/wiki/model/files.ts'
import type { Settings } from '../../../test/world/wiki/model/settings.ts'
import { startWiki, type Wiki } from '../../../test/world/wiki/start.ts'
import {
  cloud,
  type Deployment,
  dataCenter,
  listAll,
  openSource,
  readAll,
} from '../../../test/world/wiki-source.ts'
import { createEgress } from '../egress/guard.ts'
import type { WikiSource } from './source.ts'

/** The simulated wiki records every operation, parameter and value that the vendor's documents do not declare. */

const { signal } = new AbortController()
const everything = {
  extract_files: true,
  extract_images: true,
  include_blog_posts: true,
  include_comments: true,
  statuses: ['current', 'archived'],
  exclude_labels: ['no-such-label'],
}
const filtered = { cql: 'type in (page, blogpost)', include_comments: true }
/** Documented, but the simulated wiki has no embeds. */
const EMBED = 'GET /wiki/api/v2/embeds/{id}'
const { email, scopedToken } = accounts.crawler
const sites: { name: string; deployment: Deployment; settings: Partial<Settings>; signIn?: object }[] = [
  { name: 'Cloud', deployment: cloud, settings: { roleMode: 'PRE_ROLES' } },
  { name: 'Cloud in transition to roles', deployment: cloud, settings: { roleMode: 'ROLES_TRANSITION' } },
  { name: 'Cloud with roles', deployment: cloud, settings: { roleMode: 'ROLES' } },
  {
    name: 'Cloud through the gateway',
    deployment: cloud,
    settings: { roleMode: 'ROLES' },
    signIn: { username: email, token: scopedToken },
  },
  { name: 'Data Center 10', deployment: dataCenter, settings: { dcVersion: '10.0.3' } },
  { name: 'Data Center 7.13', deployment: dataCenter, settings: { dcVersion: '7.13.0' } },
]

describe('requests to a wiki', () => {
  let wiki: Wiki
  const egress = createEgress({ publicOnly: false })
  before(async () => {
    const size = { seed: 12, spaces: 5, pages: 60, people: 12, groups: 5 }
    wiki = await startWiki({ ...size, comments: true, everyKind: true })
    const { control } = wiki
    const { pages } = await control.truth()
    const [page, other] = pages.filter(({ kind, status }) => kind === 'page' && status === 'current')
    await control.attach(page!.id, {
      title: 'a.png',
      mediaType: 'image/png',
      base64: pngFile(1).toString('base64'),
    })
    await control.attach(page!.id, { title: 'a.txt', mediaType: 'text/plain', base64: btoa('text') })
    await control.archivePage(other!.id)
    // More people than a nested list holds.
    const people = Array.from({ length: 205 }, (_, at) => `557058:many-${at}`)
    for (const accountId of people) await control.addPerson({ accountId, name: accountId })
    await control.restrict(page!.id, { read: { users: people } })
  })
  after(async () => {
    await egress.close()
    await wiki.stop()
  })

  for (const { name, deployment, settings, signIn = {} } of sites)
    test(`are all declared: ${name}`, async () => {
      await wiki.control.set(settings)
      await wiki.control.resetCounts()
      const open = (more: object = {}) => openSource({ wiki, deployment, egress }, { ...signIn, ...more })
      assert.equal((await open(everything).check(signal)).ok, true)
      await useEverything(open(everything), wiki, deployment)
      await useEverything(open(filtered), wiki, deployment)
      const refusals = await wiki.control.refusals()
      assert.deepEqual(
        refusals.filter(({ operation }) => operation !== EMBED),
        [],
      )
      const { [deployment.site]: operations } = await wiki.control.operations()
      assert.ok(Object.keys(operations).length > 10)
    })
})

/** Every method of a source, on what it lists. */
async function useEverything(source: WikiSource, wiki: Wiki, deployment: Deployment): Promise<void> {
  const { refs, complete } = await listAll(source)
  assert.ok(complete)
  const { documents } = await readAll(source, refs)
  assert.ok(documents.size > 0)
  await source.relist(refs, signal)
  const gone = { recordId: `${deployment.recordsOf(wiki)}/1`, locator: { page_id: '1', space_key: 'X' } }
  await source.locate([...refs, gone], signal)
  await source.scopes(signal)
  const { people, groups } = await wiki.control.truth()
  const users = people.map((person) => deployment.idOf(person))
  for (const user of users.slice(0, 10)) await source.people.groupsOf(user, signal)
  await source.people.find('a', signal)
  await source.people.names?.({ users, groups: groups.map(({ id }) => id) }, signal)
  await source.people.directory?.({ users, groups: [] }, signal)
  await source.emails(signal).catch(() => [])
  await source.ownAccount(signal)
  for (const document of refs.slice(0, 10)) {
    await source.levels(document, signal)
    await source.checkPermission({ user: users[0]!, operation: 'read', document }, signal)
    await source.readVersion(document, document.version, signal)
  }
}
