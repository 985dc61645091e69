import { z } from 'zod'
import {
  type AccountResponse,
  childrenResponse,
  type GroupResponse,
  id,
  labelsResponse,
  markup,
  optionalNumber,
  optionalText,
  restrictionsOf,
} from '../responses.ts'

const STATUSES: Record<string, string> = { current: 'active', deactivated: 'inactive', deleted: 'closed' }

/** User keys and group names take the place of Cloud's ids. */
export const serverAccountResponse = z
  .object({
    type: optionalText,
    userKey: optionalText,
    displayName: optionalText,
    status: optionalText,
    email: optionalText,
  })
  .transform(
    ({ type, userKey, displayName, status, email }): AccountResponse => ({
      type,
      accountId: userKey,
      // Data Center has no app, customer or guest accounts.
      accountType: 'atlassian',
      isGuest: false,
      accountStatus: STATUSES[status ?? ''],
      displayName,
      email,
    }),
  )
export const serverGroupResponse = z
  .object({ name: optionalText })
  .transform(({ name }): GroupResponse => ({ id: name, name }))

export const restrictions = restrictionsOf(serverAccountResponse, serverGroupResponse)

export const serverSpaceResponse = z.object({ id, key: z.string(), name: optionalText, status: optionalText })

export const contentResponse = z.object({
  id,
  status: optionalText,
  title: optionalText,
  space: z.object({ id: id.nullish() }).nullish(),
  /** From the top down to the parent; pages only, since there are no folders. */
  ancestors: z.array(z.object({ id, title: optionalText })).nullish(),
  version: z.object({ number: optionalNumber, when: optionalText }).nullish(),
  history: z.object({ createdBy: serverAccountResponse.nullish(), createdDate: optionalText }).nullish(),
  body: markup,
  metadata: z.object({ labels: labelsResponse.nullish() }).nullish(),
  restrictions: restrictions.restrictions.nullish(),
  children: childrenResponse.nullish(),
  _links: z.object({ webui: optionalText, base: optionalText }).nullish(),
})
export type ServerSpaceResponse = z.output<typeof serverSpaceResponse>
export type ContentResponse = z.output<typeof contentResponse>

export const scanResponse = z.object({
  results: z.array(contentResponse),
  nextCursor: optionalText,
  _links: z.object({ next: optionalText, base: optionalText }).nullish(),
})

/** Since 9.1: one row per permission and subject, in a bare array. */
const operation = z.object({ targetType: z.string(), operationKey: z.string() })
const subject = z.object({ type: optionalText, name: optionalText, userKey: optionalText }).nullish()
const permissionRow = z.union([
  // The anonymous list may hold operations only.
  operation.transform((bare) => ({ operation: bare, subject: null })),
  z.object({ operation: operation.nullish(), subject }),
])
export const permissionsResponse = z.union([
  z.array(permissionRow),
  z.object({ results: z.array(permissionRow) }).transform(({ results }) => results),
  z.object({ operations: z.array(permissionRow) }).transform(({ operations }) => operations),
])
export type PermissionRows = z.output<typeof permissionsResponse>

/** Before 9.1. A row without user and group is anonymous; a missing result is an error. */
export const permissionSetsResponse = z.object({
  result: z
    .array(
      z.object({
        type: z.string(),
        spacePermissions: z.array(z.object({ userName: optionalText, groupName: optionalText })).nullish(),
      }),
    )
    .nullish(),
})
export const serverInformationResponse = z.object({ version: z.string().regex(/^\d+(\.\d+){0,3}/) })
