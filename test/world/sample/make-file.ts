import { parseAllowedHosts } from '../../../src/connectors/egress/allowed-hosts.ts'
import { createEgress } from '../../../src/connectors/egress/guard.ts'
import { SAMPLE_URL } from '../../../src/connectors/sample/config.ts'
import type { SampleFile, SamplePage } from '../../../src/connectors/sample/file.ts'
import { wikiSchema } from '../../../src/connectors/wiki/config.ts'
import { openWiki } from '../../../src/connectors/wiki/source.ts'
import type { DocumentRef } from '../../../src/document.ts'
import { LICENSED, type Principals } from '../../../src/permissions/principals.ts'
import { silent } from '../search-engine/fresh-index.ts'
import { startWiki } from '../wiki/start.ts'
import { cloud } from '../wiki-source.ts'
import type { Readers } from './page.ts'
import { samplePages, sampleSpaces } from './pages.ts'
import { groups, type PersonName, people, personas } from './people.ts'

/** `site` is the simulated wiki that the pages were read from. */
export type MadeSample = { file: SampleFile; refs: DocumentRef[]; site: string }

/** The sample wiki, as the wiki source reads it from the simulated wiki. */
export async function makeSample(): Promise<MadeSample> {
  const { signal } = new AbortController()
  const wiki = await startWiki({ sample: 'demo' })
  const { host } = new URL(wiki.siteUrl)
  const egress = createEgress({ allowedHosts: parseAllowedHosts(host) })
  const source = openWiki(wikiSchema.parse(cloud.signIn(wiki, 'crawler')), { egress, log: silent })
  try {
    const listed = await Array.fromAsync(source.list(signal))
    const refs = listed.flatMap((page) => (page.kind === 'refs' ? page.refs : []))
    const bodies = new Map<string, string>()
    for await (const outcome of source.read(refs, () => true, signal)) {
      if (!('document' in outcome)) throw new Error(`${outcome.ref.title} could not be read`)
      const body = String(outcome.document.body).replaceAll(new URL(wiki.siteUrl).origin, SAMPLE_URL)
      bodies.set(outcome.ref.recordId, body)
    }
    const { spaces } = await wiki.control.truth()
    const idOf = new Map(spaces.map(({ id, key }) => [key, id]))
    const { name: site } = await source.site(signal)
    const file: SampleFile = {
      self: READER.id,
      people: [
        ...Object.values(people).map(({ accountId: id, name, email, role }) => ({ id, name, email, role })),
        READER,
      ],
      groups: Object.entries(groups).map(([name, { id, members }]) => ({
        ...{ id, name },
        members: members.map(accountOf),
      })),
      searches: [personas.priya, personas.lena].map(({ person, searches }) => ({
        person: person.accountId,
        query: searches[0]?.query ?? '',
      })),
      spaces: sampleSpaces.map(({ key, name, owner, viewers, editors }) => {
        const users = [accountOf(owner)]
        const viewing = viewers.flatMap((viewer) => (viewer === 'everyone' ? [] : [viewer]))
        const read = principals({ groups: [...viewing, ...editors] }, users)
        return {
          ...{ id: idOf.get(key) ?? '', key, name },
          read: viewers.includes('everyone') ? { ...read, access_classes: [LICENSED] } : read,
          edit: principals({ groups: editors }, users),
          remove: principals({}, users),
          removeOwn: principals({ groups: editors }),
        }
      }),
      pages: refs.map((ref) => toPage(ref, bodies.get(ref.recordId) ?? '')),
    }
    return { file, refs, site }
  } finally {
    await source.close()
    await egress.close()
    await wiki.stop()
  }
}

/** The account of the sample itself. */
const READER = {
  id: '557058:00000000-0000-4000-8000-000000000100',
  name: 'Millrace reader',
  email: 'reader@fernhill.example',
  role: 'Reads the sample wiki',
}

const accountOf = (name: PersonName): string => people[name].accountId

function principals(readers: Readers, users: string[] = []): Principals {
  return {
    users: [...users, ...(readers.people ?? []).map(accountOf)],
    groups: (readers.groups ?? []).map((name) => groups[name].id),
  }
}

function toPage(ref: DocumentRef, body: string): SamplePage {
  const { title, version, createdAt, modifiedAt, author, labels, ancestors, locator } = ref
  const written = samplePages.find((page) => page.title === title)
  const parent = ancestors.at(-1)?.id
  return {
    id: locator.page_id ?? '',
    space: ref.scope,
    ...(parent ? { parent } : {}),
    ...{
      title,
      version,
      createdAt: createdAt ?? '',
      modifiedAt: modifiedAt ?? '',
      author: author ?? '',
      labels,
    },
    ...(written?.read ? { read: principals(written.read) } : {}),
    ...(written?.update ? { update: principals(written.update) } : {}),
    body,
  }
}
