import { z } from 'zod'
import { newKey, newKeyValue } from '../../../accounts/keys.ts'
import { type Caller, undoesDeletionsOf } from '../../../accounts/roles.ts'
import { AppError, notFound } from '../../../errors.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import {
  deleteKey,
  insertKeyWithin,
  type ListedKey,
  listPersonalTokens,
  readPersonalToken,
  restoreKey,
} from '../../../store/accounts/keys.ts'
import { type AccountsContext, type App, callerOf, isId, personOf } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { nameField } from '../../shapes/account.ts'
import { destinationIdsField, requireDestinations } from '../../shapes/key.ts'

const DAY_MS = 24 * 3600_000
/** Per person and workspace; expired ones count until they are deleted. */
const MAX_TOKENS = 50

/** Tokens with which a person searches as themselves, such as in an assistant. */
export function personalTokenRoutes(app: App, { resources, keys }: AccountsContext): void {
  const { db, vault } = resources
  const tags = ['keys']
  const config = { allows: 'reader', keys: false } as const

  const record = ({ workspaceId, actor }: Caller, action: string, { id, name, creator }: ListedKey) =>
    recordAudit(db, { workspaceId, actor, action, subject: { token: id, name, person: creator } })

  app.get(
    '/personal-tokens',
    { config, schema: { tags, querystring: filter, response: { 200: z.array(tokenShape) } } },
    async (request, reply) => {
      const { workspaceId, id, role } = callerOf(request)
      const isAll = request.query.of === 'all'
      if (isAll && role !== 'administrator')
        throw new AppError('forbidden', 'only an administrator may list the tokens of others')
      const range = { personId: isAll ? null : id, ...rangeOf(request.query) }
      const { rows, next } = await listPersonalTokens(db, workspaceId, range)
      announceNext(request, reply, next)
      return rows.map(toToken)
    },
  )

  app.post(
    '/personal-tokens',
    { config, schema: { tags, body, response: { 201: tokenShape.extend({ token: z.string() }) } } },
    async (request, reply) => {
      const caller = callerOf(request)
      const { name, expires_in_days: days, destination_ids: destinationIds } = request.body
      await requireDestinations(db, caller.workspaceId, destinationIds)
      const value = newKeyValue()
      const created = newKey(vault, {
        value,
        workspaceId: caller.workspaceId,
        name,
        createdBy: caller.id,
        limits: {
          role: 'search',
          destinationIds,
          mayImpersonate: false,
          personId: caller.id,
          expiresAt: new Date(Date.now() + days * DAY_MS),
        },
      })
      const inserted = await insertKeyWithin(db, created, MAX_TOKENS)
      if (!inserted) throw tooManyTokens()
      const row = { ...inserted, creator: personOf(request).name }
      await record(caller, 'create_personal_token', row)
      return reply.code(201).send({ ...toToken(row), token: value })
    },
  )

  const params = z.object({ id: z.string() })
  app.delete(
    '/personal-tokens/:id',
    { config, schema: { tags, params, response: { 200: z.object({}) } } },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      const personId = caller.role === 'administrator' ? null : caller.id
      const row = isId(id) ? await readPersonalToken(db, caller.workspaceId, { id, personId }) : undefined
      if (!row) throw notFound('Personal token')
      await deleteKey(db, { workspaceId: caller.workspaceId, id: row.id, by: caller.actor })
      keys.forget(row.id)
      await record(caller, 'delete_personal_token', row)
      return {}
    },
  )

  app.post(
    '/personal-tokens/:id/restore',
    { config, schema: { tags, params, response: { 200: tokenShape } } },
    async (request) => {
      const caller = callerOf(request)
      const { workspaceId } = caller
      const { id } = request.params
      const check = ({ person_id: personId }: ListedKey, count: number) => {
        const isAllowed = personId && (personId === caller.id || caller.role === 'administrator')
        if (!isAllowed) throw notFound('Deleted personal token')
        if (count > MAX_TOKENS) throw tooManyTokens()
      }
      const deletedBy = undoesDeletionsOf(caller)
      const row = isId(id) ? await restoreKey(db, { workspaceId, id, deletedBy, check }) : undefined
      if (!row) throw notFound('Deleted personal token')
      await record(caller, 'restore_personal_token', row)
      return toToken(row)
    },
  )
}

function tooManyTokens(): AppError {
  return new AppError('not_possible', `you have ${MAX_TOKENS} personal tokens here, the limit`, {
    fix: 'Delete tokens that you no longer use',
  })
}

const filter = z.strictObject({ of: z.enum(['me', 'all']).default('me'), ...listQuery })
const body = z.strictObject({
  name: nameField,
  expires_in_days: z.number().int().min(1).max(366, 'at most 366 days').default(90),
  destination_ids: destinationIdsField,
})

const tokenShape = z.object({
  id: z.string(),
  name: z.string(),
  last_four: z.string(),
  person: z.object({ id: z.string(), name: z.string() }),
  destination_ids: z.array(z.string()),
  created_at: z.string(),
  expires_at: z.string(),
  last_used_at: z.string().nullable(),
  enabled: z.boolean(),
})

function toToken(row: ListedKey): z.infer<typeof tokenShape> {
  return {
    id: row.id,
    name: row.name,
    last_four: row.last_four,
    person: { id: row.person_id ?? '', name: row.creator ?? '' },
    destination_ids: row.destination_ids,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? '',
    last_used_at: row.last_used_at?.toISOString() ?? null,
    enabled: row.enabled,
  }
}
