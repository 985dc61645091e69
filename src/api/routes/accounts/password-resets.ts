import { z } from 'zod'
import { makeResetLinkFor, personOfResetLink, resetPassword } from '../../../accounts/password-reset.ts'
import { AppError, notFound } from '../../../errors.ts'
import { organisationOfWorkspace, readMember } from '../../../store/accounts/members.ts'
import { type AccountsContext, type App, callerOf, isId } from '../../http/context.ts'
import { pageAddressOf, refuseOtherSites, sendCookies, toFetchRequest } from '../../http/origin.ts'
import { passwordField, sessionOf, sessionShape } from '../../shapes/account.ts'

/** Millrace sends no mail, so an administrator creates a link and passes it on. */
export function passwordResetRoutes(app: App, { resources, identity }: AccountsContext): void {
  const { db } = resources

  app.post(
    '/workspaces/:workspace_id/members/:user_id/reset-link',
    {
      config: { allows: 'administrator', keys: false },
      schema: {
        tags: ['workspaces'],
        params: z.object({ workspace_id: z.string(), user_id: z.string() }),
        response: { 201: z.object({ link: z.string(), expires_at: z.string() }) },
      },
    },
    async (request, reply) => {
      const { workspaceId, id: administratorId } = callerOf(request)
      const { user_id: userId } = request.params
      const member = isId(userId) ? await readMember(db, workspaceId, userId) : undefined
      if (!member) throw notFound('Member')
      if ((await organisationOfWorkspace(db, workspaceId))?.tier !== 'business')
        throw new AppError('not_possible', 'a personal account has one member', {
          fix: 'Create the link on the server: npm run reset-password',
        })
      const person = { ...member, id: member.user_id }
      const { token, expiresAt } = await makeResetLinkFor(db, person, administratorId)
      const link = `${pageAddressOf(request)}/reset-password/${token}`
      return reply.code(201).send({ link, expires_at: expiresAt.toISOString() })
    },
  )

  const open = { allows: 'anyone', keys: false } as const
  const tags = ['accounts']
  const params = z.object({ token: z.string().max(100) })
  app.get(
    '/password-resets/:token',
    { config: open, schema: { tags, params, response: { 200: z.object({ email: z.string() }) } } },
    async (request, reply) => {
      const { email } = await personOfResetLink(db, request.params.token)
      reply.header('cache-control', 'no-store')
      return { email }
    },
  )

  const body = z.strictObject({ password: passwordField })
  app.post(
    '/password-resets/:token',
    { config: open, schema: { tags, params, body, response: { 200: sessionShape } } },
    async (request, reply) => {
      refuseOtherSites(request)
      const { password } = request.body
      const person = await resetPassword(db, request.params.token, password)
      const credentials = { email: person.email, password }
      sendCookies(request, reply, await identity.signIn(credentials, toFetchRequest(request, '/')))
      reply.header('cache-control', 'no-store')
      return sessionOf(db, person)
    },
  )
}
