import type { PeopleComparison } from '../../../search/compare-people.ts'
import type { SearchPeople } from '../../../search/search-person.ts'
import { compareBody, comparisonShape } from '../../../search/shapes/lab.ts'
import { type ApiContext, type App, callerOf, idParams, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

const TIMEOUT_MS = 30_000

export type CompareRoutes = { comparison: PeopleComparison; people: SearchPeople }

/** One search for one to three people, document by document. */
export function compareRoutes(
  app: App,
  { resources }: ApiContext,
  { comparison, people }: CompareRoutes,
): void {
  const config = { allows: 'reader', keys: true } as const
  const schema = {
    params: idParams,
    body: compareBody,
    response: { 200: comparisonShape },
  }
  app.post('/destinations/:id/compare', { config, schema }, async (request, reply) => {
    const { workspaceId, actor } = callerOf(request)
    const { people: named, ...options } = request.body
    const destination = await destinationIn(resources.db, workspaceId, request.params.id)
    const compared = await Promise.all(
      (named ?? [undefined]).map((as, at) =>
        people.personOf(searchCallerOf(request), { as, at: ['body', 'people', ...(as ? [String(at)] : [])] }),
      ),
    )
    const input = { workspaceId, actor, destination, people: compared, request: options }
    return withDeadline(reply, { ms: TIMEOUT_MS, doing: 'the search' }, (signal) =>
      comparison.compare(input, signal),
    )
  })
}
