import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import {
  addMember,
  listWorkspaces,
  organisationOf,
  organisationOfWorkspace,
} from '../../../store/accounts/members.ts'
import { changeWorkspace, countWorkspaces, insertWorkspace } from '../../../store/accounts/workspaces.ts'
import type { Database } from '../../../store/database.ts'
import { type AccountsContext, type App, callerOf, personOf } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import { nameField, workspaceShape } from '../../shapes/account.ts'

/** A personal account has one workspace, a business account any number. */
export function workspaceRoutes(app: App, { resources, limits }: AccountsContext): void {
  const { db } = resources
  const tags = ['workspaces']
  const signedIn = { allows: 'person', keys: false } as const

  app.get(
    '/workspaces',
    {
      config: signedIn,
      schema: { tags, querystring: z.object(listQuery), response: { 200: z.array(workspaceShape) } },
    },
    async (request, reply) => {
      const { rows, next } = await listWorkspaces(db, personOf(request).id, rangeOf(request.query))
      announceNext(request, reply, next)
      return rows
    },
  )

  const body = z.strictObject({ name: nameField })
  app.post(
    '/workspaces',
    { config: signedIn, schema: { tags, body, response: { 201: workspaceShape } } },
    async (request, reply) => {
      const person = personOf(request)
      const organisation = await organisationOf(db, person.id)
      if (!organisation?.is_administrator)
        throw new AppError('forbidden', 'this needs an administrator of the organisation')
      if (organisation.tier !== 'business') {
        throw new AppError('not_possible', 'a personal account has one workspace', {
          fix: 'Change it to a business account to have more',
        })
      }
      const workspace = await createWorkspace(db, limits, {
        organisationId: organisation.id,
        name: request.body.name,
        personId: person.id,
      })
      return reply.code(201).send({ ...workspace, role: 'administrator' as const })
    },
  )

  const params = z.object({ workspace_id: z.string() })
  const changes = z
    .strictObject({ name: nameField.optional(), admits_readers: z.boolean().optional() })
    .refine((given) => Object.keys(given).length > 0, 'a name or admits_readers is needed')
  app.patch(
    '/workspaces/:workspace_id',
    {
      config: { allows: 'administrator', keys: false },
      schema: { tags, params, body: changes, response: { 200: workspaceShape } },
    },
    async (request) => {
      const { workspaceId, actor, role } = callerOf(request)
      const { name, admits_readers: admitsReaders } = request.body
      if (admitsReaders && (await organisationOfWorkspace(db, workspaceId))?.tier !== 'business')
        throw new AppError('not_possible', 'a personal account can have only one member', {
          fix: 'Change it to a business account first',
        })
      const changed = await changeWorkspace(db, workspaceId, {
        ...(name === undefined ? {} : { name }),
        ...(admitsReaders === undefined ? {} : { admits_readers: admitsReaders }),
      })
      if (name !== undefined)
        await recordAudit(db, { workspaceId, actor, action: 'rename_workspace', subject: { name } })
      if (admitsReaders !== undefined)
        await recordAudit(db, {
          workspaceId,
          actor,
          action: 'change_reader_admission',
          subject: { admits_readers: admitsReaders },
        })
      return { id: workspaceId, role, ...changed }
    },
  )
}

async function createWorkspace(
  db: Database,
  limits: AccountsContext['limits'],
  { organisationId, name, personId }: { organisationId: string; name: string; personId: string },
) {
  return db.transaction().execute(async (tx) => {
    if ((await countWorkspaces(tx)) >= limits.maxWorkspaces)
      throw new AppError('not_possible', `this service has ${limits.maxWorkspaces} workspaces, the limit`, {
        fix: 'Use an existing workspace, or ask the service operator to raise MILLRACE_MAX_WORKSPACES',
      })
    const created = await insertWorkspace(tx, { organisationId, name })
    await addMember(tx, {
      organisationId,
      workspaceId: created.id,
      userId: personId,
      role: 'administrator',
    })
    await recordAudit(tx, {
      workspaceId: created.id,
      actor: `person:${personId}`,
      action: 'create_workspace',
      subject: { name: created.name },
    })
    return created
  })
}
