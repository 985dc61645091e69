import type { DocumentRef } from '../../../document.ts'
import type { SpaceAccess } from '../access/page-access.ts'
import { ancestorNodes } from '../access/tree.ts'
import type { FileInfo, PageInfo, Space } from '../client.ts'
import { pageIdOf } from '../document-page.ts'
import { positionOf } from '../ids.ts'
import type { Site } from '../transport/site.ts'

type PageRefInput = Pick<SpaceAccess, 'nodes' | 'metadata' | 'access'> & {
  site: Site
  space: Space
  row: PageInfo
  fingerprint: string
}

export function pageRef({
  site,
  space,
  row,
  fingerprint,
  nodes,
  metadata,
  access,
}: PageRefInput): DocumentRef {
  return {
    recordId: `${site.name}/${row.id}`,
    scope: space.key,
    scopeName: space.name,
    position: positionOf(row.id),
    version: `${row.version}${fingerprint}`,
    title: row.title,
    url: row.url ?? `${site.home}/spaces/${encodeURIComponent(space.key)}/pages/${row.id}`,
    locator: {
      space_key: space.key,
      page_id: row.id,
      ...(row.kind === 'page' ? {} : { content_type: row.kind }),
    },
    filename: `${row.id}.html`,
    createdAt: row.createdAt,
    modifiedAt: row.modifiedAt,
    author: row.author,
    labels: metadata.labels.get(row.id) ?? [],
    ancestors: ancestorNodes(nodes, row.id).map(({ id, title }) => ({ id, title })),
    access: access(row),
  }
}

/** A file has the permissions of its page. */
export function fileRef(page: DocumentRef, file: FileInfo, site: Site): DocumentRef {
  const pageId = pageIdOf(page)
  const recordId = `${site.name}/${file.id}`
  const preview = encodeURIComponent(`/${pageId}/${file.id.replace(/^att/, '')}/${file.title}`)
  const url = `${site.home}/pages/viewpageattachments.action?pageId=${pageId}&preview=${preview}`
  return {
    ...page,
    recordId,
    version: file.version,
    title: file.title,
    url,
    locator: { ...page.locator, attachment_id: file.id, record_id: recordId, url },
    filename: safeFilename(file),
    createdAt: file.createdAt,
    modifiedAt: file.modifiedAt,
    ancestors: [...page.ancestors, { id: pageId, title: page.title }],
  }
}

/** The name must not act as a path for consumers of the index. */
function safeFilename({ title, id }: FileInfo): string {
  const name =
    title
      .split(/[/\\]/)
      .at(-1)
      ?.replace(/\p{Cc}/gu, '')
      .trim() ?? ''
  return name === '' || name === '.' || name === '..' ? id : name
}
