import { z } from 'zod'

/** Schemas of the wiki's responses. Ids are required, details optional, unknown fields dropped. */
export const id = z.union([z.string().min(1), z.number().transform(String)])
/** Empty if there is none. */
const optionalId = z.union([id, z.literal('').transform(() => null)]).nullish()
/** Text without NUL and lone surrogates, so that it can be stored. */
export const optionalText = z
  .string()
  .transform((text) => text.replaceAll('\0', '').toWellFormed())
  .nullish()
/** The body as typed. `view` is never requested: it holds content of other pages. */
export const markup = z.object({ storage: z.object({ value: z.string().nullish() }).nullish() }).nullish()
export const optionalNumber = z.number().nullish()

export function listOf<T extends z.ZodType>(item: T) {
  return z.object({
    results: z.array(item),
    limit: optionalNumber,
    _links: z.object({ next: optionalText, base: optionalText }).nullish(),
  })
}

export const spaceResponse = z.object({
  id,
  key: z.string(),
  name: optionalText,
  status: optionalText,
  currentActiveAlias: optionalText,
  homepageId: optionalId,
})

/** Folders send a number, which is not needed. */
const createdAt = z.union([optionalText, z.number().transform(() => null)])

export const pageResponse = z.object({
  id,
  status: optionalText,
  title: optionalText,
  spaceId: optionalId,
  parentId: optionalId,
  parentType: optionalText,
  authorId: optionalText,
  createdAt,
  version: z.object({ number: optionalNumber, createdAt: optionalText }).nullish(),
  body: markup,
  _links: z.object({ webui: optionalText, base: optionalText }).nullish(),
})

export const labelResponse = z.object({ name: optionalText, prefix: optionalText })

/** A person in a restriction, group or lookup. */
export const accountResponse = z.object({
  /** `anonymous` for a visitor. */
  type: optionalText,
  accountId: optionalText,
  accountType: optionalText,
  accountStatus: optionalText,
  /** Empty if the person hides it. */
  email: optionalText,
  isGuest: z.boolean().nullish(),
  /** The older name of the same flag. */
  isExternalCollaborator: z.boolean().nullish(),
  displayName: optionalText,
  publicName: optionalText,
  operations: z.array(z.object({ operation: optionalText, targetType: optionalText })).nullish(),
})
export const foundUserResponse = z.object({ user: accountResponse.nullish() })
export const groupResponse = z.object({ id: optionalId, name: optionalText })

const nested = z.object({
  limit: optionalNumber,
  size: optionalNumber,
  _links: z.object({ next: optionalText }).nullish(),
})
export const labelsResponse = nested.extend({ results: z.array(labelResponse) })

/** The deployments differ only in how they name people and groups. */
export function restrictionsOf(account: z.ZodType<AccountResponse>, group: z.ZodType<GroupResponse>) {
  const operation = z.object({
    restrictions: z
      .object({
        user: nested.extend({ results: z.array(account) }).nullish(),
        group: nested.extend({ results: z.array(group) }).nullish(),
      })
      .nullish(),
  })
  return { operation, restrictions: z.object({ read: operation.nullish(), update: operation.nullish() }) }
}
export const cloudRestrictions = restrictionsOf(accountResponse, groupResponse)

/** A file in a page's `children`, on both deployments. */
export const childFileResponse = z.object({
  id,
  status: optionalText,
  title: optionalText,
  version: z.object({ number: optionalNumber, when: optionalText }).nullish(),
  history: z.object({ createdDate: optionalText }).nullish(),
  extensions: z.object({ mediaType: optionalText, fileSize: optionalNumber, fileId: optionalText }).nullish(),
  metadata: z.object({ mediaType: optionalText }).nullish(),
  container: z.object({ id, type: optionalText }).nullish(),
  _links: z.object({ download: z.string().nullish() }).nullish(),
})
export const childrenResponse = z.object({
  attachment: nested.extend({ results: z.array(childFileResponse) }).nullish(),
})

/** A comment in search results, on both deployments. */
export const commentResponse = z.object({
  id,
  status: optionalText,
  container: z.object({ id }).nullish(),
  ancestors: z.array(z.object({ id })).nullish(),
  version: z.object({ number: optionalNumber, when: optionalText }).nullish(),
  history: z
    .object({ createdBy: z.object({ displayName: optionalText }).nullish(), createdDate: optionalText })
    .nullish(),
  extensions: z
    .object({
      resolution: z.object({ status: optionalText }).nullish(),
      inlineProperties: z.object({ originalSelection: optionalText }).nullish(),
    })
    .nullish(),
  body: markup,
})

/** An item of `content/search` with the requested expansions. */
export const foundResponse = z.object({
  id,
  children: childrenResponse.nullish(),
  metadata: z.object({ labels: labelsResponse.nullish() }).nullish(),
  restrictions: cloudRestrictions.restrictions.nullish(),
})

/** A folder, whiteboard or database with what is above it, from the top down. */
export const containerResponse = foundResponse.pick({ id: true, restrictions: true }).extend({
  type: optionalText,
  title: optionalText,
  ancestors: z.array(z.object({ id, type: optionalText, title: optionalText })).nullish(),
})

/** A file of a page, as v2 lists it. */
export const attachmentResponse = z.object({
  id,
  status: optionalText,
  title: optionalText,
  mediaType: optionalText,
  fileSize: optionalNumber,
  fileId: optionalText,
  createdAt: optionalText,
  pageId: optionalId,
  blogPostId: optionalId,
  version: z.object({ number: optionalNumber, createdAt: optionalText }).nullish(),
})

/** Public information about a site. The id becomes part of a path. */
export const tenantResponse = z.object({ cloudId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/) })

export const permissionResponse = z.object({
  principal: z.object({ type: z.string(), id }).nullish(),
  operation: z.object({ key: z.string(), targetType: z.string() }).nullish(),
})
/** A refusal is a result, not an error. */
export const checkResponse = z.object({ hasPermission: z.boolean() })
export const roleModeResponse = z.object({ mode: z.string() })
export const roleResponse = z.object({ id, spacePermissions: z.array(z.string()).nullish() })
export const rolePermissionResponse = z.object({ id, displayName: optionalText })
export const assignmentResponse = z.object({
  principal: z.object({ principalType: z.string(), principalId: id }),
  roleId: id,
})

/** The lists of a space that its own response holds. */
const includedList = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), meta: z.object({ hasMore: z.boolean().nullish() }).nullish() }).nullish()
export const includedPermissions = z.object({
  permissions: includedList(permissionResponse),
  roleAssignments: includedList(assignmentResponse),
})

export type AssignmentResponse = z.output<typeof assignmentResponse>
export type SpaceResponse = z.output<typeof spaceResponse>
export type PageResponse = z.output<typeof pageResponse>
export type Nested = z.output<typeof nested>
export type LabelsResponse = z.output<typeof labelsResponse>
export type AttachmentResponse = z.output<typeof attachmentResponse>
export type ChildFileResponse = z.output<typeof childFileResponse>
export type ChildrenResponse = z.output<typeof childrenResponse>
export type CommentResponse = z.output<typeof commentResponse>
export type ContainerResponse = z.output<typeof containerResponse>
export type FoundResponse = z.output<typeof foundResponse>
export type AccountResponse = z.output<typeof accountResponse>
export type GroupResponse = z.output<typeof groupResponse>
export type PermissionResponse = z.output<typeof permissionResponse>
export type RestrictionsWire = ReturnType<typeof restrictionsOf>
export type RestrictionsResponse = z.output<RestrictionsWire['restrictions']>
