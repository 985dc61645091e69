import { z } from 'zod'
import { newKey, newKeyValue, revealKey } from '../../../accounts/keys.ts'
import { type Caller, undoesDeletionsOf } from '../../../accounts/roles.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import {
  deleteKey,
  insertKeyWithin,
  type KeyLimits,
  type ListedKey,
  listKeys,
  readListedKey,
  restoreKey,
  setKeyEnabled,
} from '../../../store/accounts/keys.ts'
import { type AccountsContext, type App, callerOf, isId, personOf } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { nameField } from '../../shapes/account.ts'
import { destinationIdsField, requireDestinations } from '../../shapes/key.ts'

/** A key cannot manage keys; otherwise a stolen key could create others. */
export function keyRoutes(app: App, context: AccountsContext): void {
  listAndCreateRoutes(app, context)
  oneKeyRoutes(app, context)
}

const tags = ['keys']
const config = { allows: 'developer', keys: false } as const

function listAndCreateRoutes(app: App, { resources, limits: accountLimits }: AccountsContext): void {
  const { db, vault } = resources

  app.get(
    '/keys',
    { config, schema: { tags, querystring: z.object(listQuery), response: { 200: z.array(keyShape) } } },
    async (request, reply) => {
      const { rows, next } = await listKeys(db, callerOf(request).workspaceId, rangeOf(request.query))
      announceNext(request, reply, next)
      return rows.map(toKey)
    },
  )

  app.post(
    '/keys',
    { config, schema: { tags, body: newKeyBody, response: { 201: newKeyShape } } },
    async (request, reply) => {
      const caller = callerOf(request)
      const person = personOf(request)
      const value = newKeyValue()
      const { name } = request.body
      const { workspaceId, id: createdBy } = caller
      await requireDestinations(db, workspaceId, request.body.destination_ids)
      const limits = limitsOf(request.body)
      const created = newKey(vault, { value, workspaceId, name, createdBy, limits })
      const row = await insertKeyWithin(db, created, accountLimits.maxKeys)
      if (!row) throw tooManyKeys(accountLimits.maxKeys)
      const { scope, may_impersonate } = row
      await recordAudit(db, {
        workspaceId,
        actor: caller.actor,
        action: 'create_key',
        subject: { key: row.id, name, scope, ...(may_impersonate ? { may_impersonate } : {}) },
      })
      return reply.code(201).send({ ...toKey({ ...row, creator: person.name }), key: value })
    },
  )
}

function oneKeyRoutes(app: App, { resources, keys, limits }: AccountsContext): void {
  const { db, vault } = resources
  const params = z.object({ id: z.string() })

  /** People manage their own keys, administrators all keys of the workspace. */
  async function find({ workspaceId, id: callerId, role }: Caller, id: string): Promise<ListedKey> {
    const row = isId(id) ? await readListedKey(db, workspaceId, id) : undefined
    if (!row) throw notFound('API key')
    requireOwn({ id: callerId, role }, row)
    return row
  }

  const record = (
    { workspaceId, actor }: Caller,
    action: string,
    { id, name }: { id: string; name: string },
  ) => recordAudit(db, { workspaceId, actor, action, subject: { key: id, name } })

  app.post(
    '/keys/:id/reveal',
    { config, schema: { tags, params, response: { 200: z.object({ key: z.string() }) } } },
    async (request) => {
      const caller = callerOf(request)
      const row = await find(caller, request.params.id)
      // Recorded first: a key whose audit entry fails is not shown.
      await record(caller, 'reveal_key', row)
      const key = await revealKey(db, vault, row)
      if (!key) throw notFound('API key')
      return { key }
    },
  )

  app.patch(
    '/keys/:id',
    {
      config,
      schema: { tags, params, body: z.strictObject({ enabled: z.boolean() }), response: { 200: keyShape } },
    },
    async (request) => {
      const caller = callerOf(request)
      const row = await find(caller, request.params.id)
      const { enabled } = request.body
      await setKeyEnabled(db, row.id, enabled)
      keys.forget(row.id)
      await record(caller, enabled ? 'enable_key' : 'disable_key', row)
      return toKey({ ...row, enabled })
    },
  )

  app.delete(
    '/keys/:id',
    { config, schema: { tags, params, response: { 200: z.object({}) } } },
    async (request) => {
      const caller = callerOf(request)
      const row = await find(caller, request.params.id)
      await deleteKey(db, { workspaceId: caller.workspaceId, id: row.id, by: caller.actor })
      keys.forget(row.id)
      await record(caller, 'delete_key', row)
      return {}
    },
  )

  app.post(
    '/keys/:id/restore',
    { config, schema: { tags, params, response: { 200: keyShape } } },
    async (request) => {
      const caller = callerOf(request)
      const { workspaceId } = caller
      const { id } = request.params
      const check = (row: ListedKey, count: number) => {
        if (row.person_id) throw notFound('Deleted API key')
        requireOwn(caller, row)
        if (count > limits.maxKeys) throw tooManyKeys(limits.maxKeys)
      }
      const deletedBy = undoesDeletionsOf(caller)
      const row = isId(id) ? await restoreKey(db, { workspaceId, id, deletedBy, check }) : undefined
      if (!row) throw notFound('Deleted API key')
      await record(caller, 'restore_key', row)
      return toKey(row)
    },
  )
}

function requireOwn(
  { id, role }: Pick<Caller, 'id' | 'role'>,
  { created_by: creator, name }: ListedKey,
): void {
  if (creator === id || role === 'administrator') return
  throw new AppError('forbidden', `another person created "${name}"; only an administrator may do this`)
}

function tooManyKeys(max: number): AppError {
  return new AppError('not_possible', `this workspace has ${max} API keys, the limit`, {
    fix: 'Delete keys that are no longer used; the service operator can raise MILLRACE_MAX_KEYS',
  })
}

const newKeyBody = z.strictObject({
  name: nameField,
  scope: z.enum(['full', 'search']).default('full'),
  destination_ids: destinationIdsField,
  may_impersonate: z.boolean().default(false),
  expires_at: z.iso.datetime({ offset: true }).nullish(),
})

/** Only a search key has limits besides its expiry. */
function limitsOf(body: z.infer<typeof newKeyBody>): KeyLimits {
  const { scope: role, destination_ids: destinationIds, may_impersonate: mayImpersonate } = body
  const refused = destinationIds.length > 0 ? 'destination_ids' : mayImpersonate ? 'may_impersonate' : null
  if (role === 'full' && refused) throw invalid(['body', refused], 'only a search key has this')
  const expiresAt = body.expires_at ? new Date(body.expires_at) : null
  if (expiresAt && expiresAt.getTime() <= Date.now())
    throw invalid(['body', 'expires_at'], 'should be in the future')
  return { role, destinationIds, mayImpersonate, expiresAt, personId: null }
}

const keyShape = z.object({
  id: z.string(),
  name: z.string(),
  last_four: z.string(),
  created_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
  enabled: z.boolean(),
  scope: z.enum(['full', 'search']),
  destination_ids: z.array(z.string()),
  may_impersonate: z.boolean(),
  expires_at: z.string().nullable(),
})
const newKeyShape = keyShape.extend({ key: z.string() })

function toKey(row: ListedKey): z.infer<typeof keyShape> {
  return {
    id: row.id,
    name: row.name,
    last_four: row.last_four,
    created_by: row.created_by ? { id: row.created_by, name: row.creator ?? '' } : null,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    enabled: row.enabled,
    scope: row.scope,
    destination_ids: row.destination_ids,
    may_impersonate: row.may_impersonate,
    expires_at: row.expires_at?.toISOString() ?? null,
  }
}
