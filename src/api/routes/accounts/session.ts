import { z } from 'zod'
import { AppError } from '../../../errors.ts'
import { recordInAllWorkspaces } from '../../../store/accounts/audit.ts'
import { organisationOf } from '../../../store/accounts/members.ts'
import { upgradeToBusiness } from '../../../store/accounts/setup.ts'
import { type AccountsContext, type App, personOf } from '../../http/context.ts'
import { organisationField, sessionOf, sessionShape } from '../../shapes/account.ts'

export function sessionRoutes(app: App, { resources }: AccountsContext): void {
  const { db } = resources
  const tags = ['accounts']
  const config = { allows: 'person', keys: false } as const

  app.get('/session', { config, schema: { tags, response: { 200: sessionShape } } }, async (request) =>
    sessionOf(db, personOf(request)),
  )

  const upgrade = z.strictObject({ tier: z.literal('business'), organisation: organisationField })
  app.post(
    '/account',
    { config, schema: { tags, body: upgrade, response: { 200: sessionShape } } },
    async (request) => {
      const person = personOf(request)
      const { organisation: name } = request.body
      const organisation = await organisationOf(db, person.id)
      if (!organisation?.is_administrator)
        throw new AppError('forbidden', 'this needs an administrator of the organisation')
      if (!(await upgradeToBusiness(db, organisation.id, name)))
        throw new AppError('not_possible', 'this is a business account already')
      await recordInAllWorkspaces(db, person.id, {
        action: 'become_business',
        subject: { organisation: name },
      })
      return sessionOf(db, person)
    },
  )
}
