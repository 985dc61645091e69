import { z } from 'zod'
import {
  type AccountAnswer,
  childrenAnswer,
  type GroupAnswer,
  id,
  labelsAnswer,
  markup,
  optionalNumber,
  optionalText,
  restrictionsOf,
} from '../answers.ts'

const STATUSES: Record<string, string> = { current: 'active', deactivated: 'inactive', deleted: 'closed' }

/**
 * The shapes of Data Center's answers. People are known by their key there and groups by their name; both are
 * put where the Cloud has its ids, so that everything behind reads alike.
 */
export const serverAccountAnswer = z
  .object({ userKey: optionalText, displayName: optionalText, status: optionalText })
  .transform(
    ({ userKey, displayName, status }): AccountAnswer => ({
      accountId: userKey,
      // Data Center has no app, customer or guest accounts.
      accountType: 'atlassian',
      isGuest: false,
      accountStatus: STATUSES[status ?? ''],
      displayName,
    }),
  )
export const serverGroupAnswer = z
  .object({ name: optionalText })
  .transform(({ name }): GroupAnswer => ({ id: name, name }))

export const restrictions = restrictionsOf(serverAccountAnswer, serverGroupAnswer)

export const serverSpaceAnswer = z.object({ id, key: z.string(), name: optionalText, status: optionalText })

export const contentAnswer = z.object({
  id,
  status: optionalText,
  title: optionalText,
  space: z.object({ id: id.nullish() }).nullish(),
  /** From the top of the space down to the parent; pages only, for there are no folders. */
  ancestors: z.array(z.object({ id, title: optionalText })).nullish(),
  version: z.object({ number: optionalNumber, when: optionalText }).nullish(),
  history: z.object({ createdBy: serverAccountAnswer.nullish(), createdDate: optionalText }).nullish(),
  body: markup,
  metadata: z.object({ labels: labelsAnswer.nullish() }).nullish(),
  restrictions: restrictions.restrictions.nullish(),
  children: childrenAnswer.nullish(),
  _links: z.object({ webui: optionalText, base: optionalText }).nullish(),
})
export type ServerSpaceAnswer = z.output<typeof serverSpaceAnswer>
export type ContentAnswer = z.output<typeof contentAnswer>

export const scanAnswer = z.object({
  results: z.array(contentAnswer),
  nextCursor: optionalText,
  _links: z.object({ next: optionalText, base: optionalText }).nullish(),
})

/** From 9.1 on: one row for each right of each subject, as a bare array where every other list is an object. */
const operation = z.object({ targetType: z.string(), operationKey: z.string() })
const subject = z.object({ type: optionalText, name: optionalText, userKey: optionalText }).nullish()
const permissionRow = z.union([
  // The list of the anonymous may hold operations alone.
  operation.transform((bare) => ({ operation: bare, subject: null })),
  z.object({ operation: operation.nullish(), subject }),
])
export const permissionsAnswer = z.union([
  z.array(permissionRow),
  z.object({ results: z.array(permissionRow) }).transform(({ results }) => results),
  z.object({ operations: z.array(permissionRow) }).transform(({ operations }) => operations),
])
export type PermissionRows = z.output<typeof permissionsAnswer>

/** Before 9.1, over JSON-RPC; a row that names neither user nor group is for the anonymous. No result is an error. */
export const permissionSetsAnswer = z.object({
  result: z
    .array(
      z.object({
        type: z.string(),
        spacePermissions: z.array(z.object({ userName: optionalText, groupName: optionalText })).nullish(),
      }),
    )
    .nullish(),
})
export const serverAnswer = z.object({ version: z.string().regex(/^\d+(\.\d+){0,3}/) })
