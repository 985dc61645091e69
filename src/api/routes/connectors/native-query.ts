import { nativeQueryShape } from '../../../search/shapes/lab.ts'
import { searchBody } from '../../../search/shapes/search-request.ts'
import { type ApiContext, type App, callerOf, idParams, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import type { SearchRoutes } from '../search/search.ts'
import { destinationIn } from './connector-in.ts'

const TIMEOUT_MS = 30_000

/** A search as a person, in the query language of the destination. */
export function nativeQueryRoutes(
  app: App,
  { resources }: ApiContext,
  { service, people }: SearchRoutes,
): void {
  const config = { allows: 'viewer', keys: true } as const
  const schema = {
    params: idParams,
    body: searchBody,
    response: { 200: nativeQueryShape },
  }
  app.post('/destinations/:id/native-query', { config, schema }, async (request, reply) => {
    const { workspaceId, actor } = callerOf(request)
    const { as, ...options } = request.body
    const destination = await destinationIn(resources.db, workspaceId, request.params.id)
    const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
    return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'the search' }, (signal) =>
      service.nativeQuery({ workspaceId, actor, destination, person, request: options }, signal),
    )
  })
}
