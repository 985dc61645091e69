import { z } from 'zod'
import type { PeopleComparison } from '../../../search/compare-people.ts'
import type { SearchService } from '../../../search/person-search.ts'
import { personQueryShape, requireDestination, type SearchPeople } from '../../../search/search-person.ts'
import { compareBody, comparisonShape, nativeQueryShape } from '../../../search/shapes/lab.ts'
import { explanationShape, resultsShape } from '../../../search/shapes/search.ts'
import { searchBody } from '../../../search/shapes/search-request.ts'
import { type ApiContext, type App, callerOf, idParams, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'

export type SearchRoutes = { service: SearchService; comparison: PeopleComparison; people: SearchPeople }

export function searchRoutes(
  app: App,
  { resources: { db } }: ApiContext,
  { service, comparison, people }: SearchRoutes,
): void {
  /** As a person. */
  app.post(
    '/destinations/:id/search',
    {
      config: { allows: 'reader', keys: 'search' },
      schema: { params: idParams, body: searchBody, response: { 200: resultsShape } },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { workspaceId, actor } = caller
      const { as, ...options } = request.body
      const destination = await destinationIn(db, workspaceId, request.params.id)
      requireDestination(caller, destination)
      const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
      return withDeadline(reply, { doing: 'the search' }, (signal) =>
        service.search({ workspaceId, actor, destination, person, request: options }, signal),
      )
    },
  )

  /** One search for one to three people, document by document. */
  app.post(
    '/destinations/:id/compare',
    {
      config: { allows: 'reader', keys: true },
      schema: { params: idParams, body: compareBody, response: { 200: comparisonShape } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { people: named, ...options } = request.body
      const destination = await destinationIn(db, workspaceId, request.params.id)
      const compared = await Promise.all(
        (named ?? [undefined]).map((as, at) =>
          people.personOf(searchCallerOf(request), {
            as,
            at: ['body', 'people', ...(as ? [String(at)] : [])],
          }),
        ),
      )
      const input = { workspaceId, actor, destination, people: compared, request: options }
      return withDeadline(reply, { doing: 'the search' }, (signal) => comparison.compare(input, signal))
    },
  )

  /** In the query language of the destination. */
  app.post(
    '/destinations/:id/native-query',
    {
      config: { allows: 'viewer', keys: true },
      schema: { params: idParams, body: searchBody, response: { 200: nativeQueryShape } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { as, ...options } = request.body
      const destination = await destinationIn(db, workspaceId, request.params.id)
      const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
      return withDeadline(reply, { doing: 'the search' }, (signal) =>
        service.nativeQuery({ workspaceId, actor, destination, person, request: options }, signal),
      )
    },
  )
}

/** Why a person can or cannot read a document. Members without the administrator role ask about themselves. */
export function explainRoutes(app: App, { resources }: ApiContext, { service, people }: SearchRoutes): void {
  const body = z.strictObject({ record_id: z.string().min(1).max(1000), as: personQueryShape.optional() })
  app.post(
    '/destinations/:id/explain',
    {
      config: { allows: 'reader', keys: true },
      schema: { params: idParams, body, response: { 200: explanationShape } },
    },
    async (request, reply) => {
      const { workspaceId, actor } = callerOf(request)
      const { record_id: recordId, as } = request.body
      const destination = await destinationIn(resources.db, workspaceId, request.params.id)
      const person = await people.personOf(searchCallerOf(request), { as, at: ['body', 'as'] })
      return withDeadline(reply, { doing: 'reading the permissions of a document' }, (signal) =>
        service.why({ workspaceId, actor, destination, person, recordId }, signal),
      )
    },
  )
}
