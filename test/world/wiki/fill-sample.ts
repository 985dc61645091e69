import type { Readers, SampleFile } from '../sample/page.ts'
import { samplePages, sampleSpaces } from '../sample/pages.ts'
import { groups, type PersonName, people } from '../sample/people.ts'
import { addAttachment } from './model/attachments.ts'
import { addNode, addSpace } from './model/edits.ts'
import { corruptPdf, pdfFile, pngFile } from './model/files.ts'
import {
  type Attachment,
  noRestrictions,
  type RestrictionList,
  type SpacePermission,
  type World,
} from './model/model.ts'
import { addGroup, addPerson } from './model/people.ts'
import { grant } from './model/roles.ts'
import { fileLink, storedImage } from './render/images.ts'

/** Adds the sample people and pages to a world that holds only API accounts; ids are always the same. */
export function fillSample(world: World): void {
  for (const person of Object.values(people))
    addPerson(world, { ...person, username: person.email.replace(/@.*/, '') })
  for (const [group, { id, members }] of Object.entries(groups))
    addGroup(world, { id, name: group, members: members.map(idOf) })
  const spaceIds = new Map(sampleSpaces.map((space) => [space.key, addSampleSpace(world, space)]))
  const ids = new Map<string, string>()
  for (const page of samplePages) {
    const parentId = page.parent === undefined ? null : ids.get(page.parent)
    if (parentId === undefined) throw new Error(`${page.slug} comes before its parent ${page.parent}`)
    if (ids.has(page.slug)) throw new Error(`two pages have the slug ${page.slug}`)
    const node = addNode(world, {
      spaceId: spaceIds.get(page.space) ?? '',
      parentId,
      title: page.title,
      body: { storage: page.body },
      status: page.archived ? 'archived' : 'current',
      authorId: idOf(page.author),
      createdAt: page.created,
      modifiedAt: page.modified ?? page.created,
      versionNumber: page.modified === undefined ? 1 : 3,
      labels: page.labels ?? [],
      restrictions: { ...noRestrictions(), read: principals(page.read), update: principals(page.update) },
    })
    ids.set(page.slug, node.id)
    for (const file of page.files ?? []) {
      const attachment = addAttachment(world, {
        pageId: node.id,
        authorId: node.authorId,
        title: file.title,
        ...contentOf(file),
      })
      node.body = { storage: `${node.body.storage}${linkTo(attachment)}` }
    }
  }
  for (const { key, home } of sampleSpaces) {
    const space = world.spaces.get(spaceIds.get(key) ?? '')
    if (space !== undefined) space.homepageId = ids.get(home) ?? null
  }
}

function addSampleSpace(
  world: World,
  { key, name, owner, viewers, editors }: (typeof sampleSpaces)[number],
): string {
  const permissions: SpacePermission[] = [
    ...viewers.flatMap((viewer) =>
      viewer === 'everyone'
        ? grant('access-class', 'all-licensed-users', 'viewer')
        : grant('group', groups[viewer].id, 'viewer'),
    ),
    ...editors.flatMap((editor) => grant('group', groups[editor].id, 'collaborator')),
    ...grant('user', idOf(owner), 'manager'),
  ]
  return addSpace(world, { key, name, authorId: idOf(owner), permissions }).id
}

const idOf = (name: PersonName): string => people[name].accountId

const principals = (readers: Readers | undefined): RestrictionList => ({
  users: (readers?.people ?? []).map(idOf),
  groups: (readers?.groups ?? []).map((name) => groups[name].id),
})

function contentOf({ kind, lines, title }: SampleFile): Pick<Attachment, 'mediaType' | 'bytes' | 'broken'> {
  switch (kind) {
    case 'pdf':
      return { mediaType: 'application/pdf', bytes: pdfFile(lines), broken: 'no' }
    case 'broken-pdf':
      return { mediaType: 'application/pdf', bytes: corruptPdf(title.length), broken: 'corrupt' }
    case 'png':
      return { mediaType: 'image/png', bytes: pngFile(title.length), broken: 'no' }
    case 'csv':
      return { mediaType: 'text/csv', bytes: Buffer.from(`${lines.join('\n')}\n`), broken: 'no' }
  }
}

/** Shows a picture, links any other file, as the editor does. */
const linkTo = ({ title, mediaType }: Attachment): string =>
  `<p>${mediaType.startsWith('image/') ? storedImage(title) : fileLink({ title })}</p>`
