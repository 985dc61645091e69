import { z } from 'zod'
import { createAttemptLimit } from '../../../accounts/attempt-limit.ts'
import { changeEmail, changeName } from '../../../accounts/own-account.ts'
import { AppError } from '../../../errors.ts'
import { type AccountsContext, type App, personOf } from '../../http/context.ts'
import { toFetchRequest } from '../../http/origin.ts'
import { emailField, givenPasswordField, nameField, sessionOf, sessionShape } from '../../shapes/account.ts'

// Another person may use a signed-in browser to guess the password.
const PASSWORD_ATTEMPTS = { name: 'change of an address', max: 10, windowMs: 15 * 60_000 }

/** The password is changed at /api/auth, by the identity library. */
export function accountRoutes(app: App, { resources, identity, counts }: AccountsContext): void {
  const { db } = resources
  const tags = ['accounts']
  const config = { allows: 'person', keys: false } as const
  const passwordAttempts = createAttemptLimit(counts, PASSWORD_ATTEMPTS)

  const name = z.strictObject({ name: nameField })
  app.patch(
    '/account',
    { config, schema: { tags, body: name, response: { 200: sessionShape } } },
    async (request) => sessionOf(db, await changeName(db, personOf(request), request.body.name)),
  )

  const address = z.strictObject({ email: emailField, password: givenPasswordField })
  app.post(
    '/account/email',
    { config, schema: { tags, body: address, response: { 200: sessionShape } } },
    async (request, reply) => {
      const person = personOf(request)
      const seconds = await passwordAttempts.begin(person.id)
      if (seconds > 0) {
        reply.header('retry-after', seconds)
        throw new AppError('rate_limited', `too many attempts; try again in ${seconds} seconds`)
      }
      const { headers } = toFetchRequest(request, '/')
      const sessionId = (await identity.signedIn(headers, { prolong: false }))?.sessionId ?? ''
      const changed = await changeEmail(db, person, { ...request.body, sessionId })
      await passwordAttempts.reset(person.id)
      return sessionOf(db, changed)
    },
  )
}
