import { z } from 'zod'
import { personQueryShape } from '../../../search/search-person.ts'
import { explanationShape } from '../../../search/shapes/search.ts'
import { type ApiContext, type App, callerOf, idParams, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'
import type { SearchRoutes } from './search.ts'

const TIMEOUT_MS = 30_000

/** Why a person can or cannot read a document. Members without the administrator role ask about themselves. */
export function explainRoutes(app: App, { resources }: ApiContext, { service, people }: SearchRoutes): void {
  const config = { allows: 'reader', keys: true } as const
  const schema = {
    params: idParams,
    body: z.strictObject({ record_id: z.string().min(1).max(1000), as: personQueryShape.optional() }),
    response: { 200: explanationShape },
  }
  app.post('/destinations/:id/explain', { config, schema }, async (request, reply) => {
    const { workspaceId, actor } = callerOf(request)
    const { record_id: recordId, as } = request.body
    const destination = await destinationIn(resources.db, workspaceId, request.params.id)
    const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
    const doing = 'reading the permissions of a document'
    return withDeadline(reply, { ms: TIMEOUT_MS, doing }, (signal) =>
      service.why({ workspaceId, actor, destination, person, recordId }, signal),
    )
  })
}
