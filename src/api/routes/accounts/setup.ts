import { z } from 'zod'
import { setUpByLink } from '../../../accounts/setup.ts'
import { AppError, invalid } from '../../../errors.ts'
import { hasMembers } from '../../../store/accounts/members.ts'
import type { AccountsContext, App } from '../../http/context.ts'
import { refuseOtherSites, sendCookies, toFetchRequest } from '../../http/origin.ts'
import {
  emailField,
  nameField,
  organisationField,
  passwordField,
  sessionOf,
  sessionShape,
} from '../../shapes/account.ts'

/** Creates the first account with the link the service printed. */
export function setupRoutes(app: App, { resources, identity }: AccountsContext): void {
  const { db } = resources
  const tags = ['accounts']
  const config = { allows: 'anyone', keys: false } as const

  const state = z.object({ needed: z.boolean(), oidc: z.boolean() })
  app.get('/setup', { config, schema: { tags, response: { 200: state } } }, async () => ({
    needed: !(await hasMembers(db)),
    oidc: identity.oidc,
  }))

  app.post(
    '/setup',
    { config, schema: { tags, body: setupBody, response: { 201: sessionShape } } },
    async (request, reply) => {
      refuseOtherSites(request)
      const { token, email, name, password, tier, organisation } = request.body
      if (tier === 'business' && !organisation)
        throw invalid(
          ['body', 'organisation'],
          'a business account needs the name of the organisation',
          'missing',
        )
      const first = { email, name, password, tier, organisation: tier === 'business' ? organisation! : null }
      const person = await setUpByLink(db, token, first)
      if (!person) {
        throw new AppError('not_found', 'this set-up link is wrong, used or expired', {
          fix: 'Restart the service to get a new one. If Millrace is set up already, ask an administrator for an invitation',
        })
      }
      sendCookies(request, reply, await identity.signIn({ email, password }, toFetchRequest(request, '/')))
      return reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await sessionOf(db, person))
    },
  )
}

const setupBody = z
  .strictObject({
    token: z.string().max(100),
    email: emailField,
    name: nameField,
    password: passwordField,
    tier: z.enum(['personal', 'business']),
    organisation: organisationField.nullish(),
  })
  .meta({
    anyOf: [
      { properties: { tier: { const: 'personal' } } },
      { required: ['organisation'], properties: { organisation: { type: 'string' } } },
    ],
  })
