import { z } from 'zod'
import { acceptAsNew, acceptSignedIn, invitationOf, invite } from '../../../accounts/invitations.ts'
import { invalid, notFound } from '../../../errors.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { deleteInvitation, listInvitations } from '../../../store/accounts/invitations.ts'
import { organisationOfWorkspace } from '../../../store/accounts/members.ts'
import { signedInPerson } from '../../http/authentication.ts'
import { type AccountsContext, type App, callerOf, isId } from '../../http/context.ts'
import { announceNext, listQuery, rangeOf } from '../../http/list-page.ts'
import {
  pageAddressOf,
  refuseOtherSites,
  requireOwnPage,
  sendCookies,
  toFetchRequest,
} from '../../http/origin.ts'
import {
  emailField,
  nameField,
  passwordField,
  roleShape,
  sessionOf,
  sessionShape,
} from '../../shapes/account.ts'

/** An administrator creates a link for one address and passes it on. */
export function invitationRoutes(app: App, context: AccountsContext): void {
  administratorRoutes(app, context)
  invitedRoutes(app, context)
}

const tags = ['workspaces']
const config = { allows: 'administrator', keys: false } as const
const workspaceParams = z.object({ workspace_id: z.string() })

function administratorRoutes(app: App, { resources: { db } }: AccountsContext): void {
  app.get(
    '/workspaces/:workspace_id/invitations',
    {
      config,
      schema: {
        tags,
        params: workspaceParams,
        querystring: z.object(listQuery),
        response: { 200: z.array(pendingInvitation) },
      },
    },
    async (request, reply) => {
      const range = rangeOf(request.query)
      const { rows, next } = await listInvitations(db, callerOf(request).workspaceId, range)
      announceNext(request, reply, next)
      return rows.map(({ inviter, invited_by: id, expires_at, ...row }) => ({
        ...row,
        invited_by: id ? { id, name: inviter ?? '' } : null,
        expires_at: expires_at.toISOString(),
      }))
    },
  )

  const invitationBody = z.strictObject({ email: emailField, role: roleShape })
  app.post(
    '/workspaces/:workspace_id/invitations',
    {
      config,
      schema: { tags, params: workspaceParams, body: invitationBody, response: { 201: createdInvitation } },
    },
    async (request, reply) => {
      const { workspaceId, actor, id: invitedBy } = callerOf(request)
      const { email, role } = request.body
      const { id, token, expiresAt } = await invite(db, { workspaceId, email, role, invitedBy })
      await recordAudit(db, { workspaceId, actor, action: 'invite', subject: { email, role } })
      const link = `${pageAddressOf(request)}/invitation/${token}`
      return reply.code(201).send({ id, link, expires_at: expiresAt.toISOString() })
    },
  )

  app.delete(
    '/workspaces/:workspace_id/invitations/:id',
    {
      config,
      schema: { tags, params: workspaceParams.extend({ id: z.string() }), response: { 200: z.object({}) } },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      const { id } = request.params
      const email = isId(id) ? await deleteInvitation(db, workspaceId, id) : undefined
      if (!email) throw notFound('Invitation')
      await recordAudit(db, { workspaceId, actor, action: 'take_back_invitation', subject: { email } })
      return {}
    },
  )
}

/** For the person with the link. */
function invitedRoutes(app: App, { resources: { db }, identity }: AccountsContext): void {
  const open = { allows: 'anyone', keys: false } as const
  const byToken = z.object({ token: z.string().max(100) })
  app.get(
    '/invitations/:token',
    { config: open, schema: { tags, params: byToken, response: { 200: shownInvitation } } },
    async (request, reply) => {
      const { workspace_id, email, role } = await invitationOf(db, request.params.token)
      const organisation = await organisationOfWorkspace(db, workspace_id)
      if (!organisation) throw notFound('Invitation')
      reply.header('cache-control', 'no-store')
      return { workspace: organisation.workspace, organisation: organisation.name, email, role }
    },
  )

  app.post(
    '/invitations/:token/accept',
    {
      config: open,
      schema: { tags, params: byToken, body: acceptBody.nullish(), response: { 200: sessionShape } },
    },
    async (request, reply) => {
      refuseOtherSites(request)
      const { name, password } = request.body ?? {}
      const invitation = await invitationOf(db, request.params.token)
      const person = await signedInPerson(identity, request, reply)
      if (person && !password) {
        requireOwnPage(request)
        await acceptSignedIn(db, invitation, person)
        return sessionOf(db, person)
      }
      if (!name) throw invalid(['body', 'name'], 'a name is needed, or sign in first', 'missing')
      if (!password) throw invalid(['body', 'password'], 'a password is needed, or sign in first', 'missing')
      const created = await acceptAsNew(db, invitation, { name, password })
      const credentials = { email: created.email, password }
      sendCookies(request, reply, await identity.signIn(credentials, toFetchRequest(request, '/')))
      return sessionOf(db, created)
    },
  )
}

const pendingInvitation = z.object({
  id: z.string(),
  email: z.string(),
  role: roleShape,
  invited_by: z.object({ id: z.string(), name: z.string() }).nullable(),
  expires_at: z.string(),
})
const createdInvitation = z.object({ id: z.string(), link: z.string(), expires_at: z.string() })
const shownInvitation = z.object({
  workspace: z.string(),
  organisation: z.string().nullable(),
  email: z.string(),
  role: roleShape,
})
const acceptBody = z.strictObject({ name: nameField.optional(), password: passwordField.optional() })
