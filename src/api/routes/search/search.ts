import type { SearchService } from '../../../search/person-search.ts'
import { requireDestination, type SearchPeople } from '../../../search/search-person.ts'
import { resultsShape } from '../../../search/shapes/search.ts'
import { searchBody } from '../../../search/shapes/search-request.ts'
import { type ApiContext, type App, callerOf, idParams, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

const TIMEOUT_MS = 30_000

export type SearchRoutes = { service: SearchService; people: SearchPeople }

/** Search as a person. */
export function searchRoutes(app: App, { resources }: ApiContext, { service, people }: SearchRoutes): void {
  const config = { allows: 'reader', keys: 'search' } as const
  const schema = {
    params: idParams,
    body: searchBody,
    response: { 200: resultsShape },
  }
  app.post('/destinations/:id/search', { config, schema }, async (request, reply) => {
    const caller = callerOf(request)
    const { workspaceId, actor } = caller
    const { as, ...options } = request.body
    const destination = await destinationIn(resources.db, workspaceId, request.params.id)
    requireDestination(caller, destination)
    const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
    return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'the search' }, (signal) =>
      service.search({ workspaceId, actor, destination, person, request: options }, signal),
    )
  })
}
