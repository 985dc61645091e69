import { z } from 'zod'
import { notFound } from '../../../errors.ts'
import { type PersonQuery, requireDestination } from '../../../search/search-person.ts'
import { documentShape } from '../../../search/shapes/search.ts'
import { type ApiContext, type App, callerOf, searchCallerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { destinationIn } from '../connectors/connector-in.ts'
import type { SearchRoutes } from './search.ts'

/** Reads a document as a person. A record id contains slashes, encoded or not. */
export function readRoutes(app: App, { resources }: ApiContext, { service, people }: SearchRoutes): void {
  const config = { allows: 'reader', keys: 'search' } as const
  const schema = {
    params: z.object({ id: z.string(), '*': z.string() }),
    querystring,
    response: { 200: documentShape },
  }

  app.get('/destinations/:id/documents/*', { config, schema }, async (request, reply) => {
    const caller = callerOf(request)
    const { workspaceId, actor } = caller
    const { id, '*': recordId } = request.params
    const { cursor, limit, path_in_archive: path, ...named } = request.query
    const destination = await destinationIn(resources.db, workspaceId, id)
    requireDestination(caller, destination)
    const person = await people.personOf(searchCallerOf(request), {
      as: toPerson(named),
      at: ['query', 'user'],
    })
    const file = path === undefined ? {} : { path }
    const input = { workspaceId, actor, destination, person, recordId, limit, ...file }
    const document = await withDeadline(reply, { doing: 'reading a document' }, (signal) =>
      service.read({ ...input, ...(cursor === undefined ? {} : { cursor }) }, signal),
    )
    if (!document) throw notFound('Document')
    return document
  })
}

const group = z.string().max(255, 'at most 255 characters')
const querystring = z.strictObject({
  user: z.string().min(1).max(1000).optional(),
  /** Given several times for several groups. */
  groups: z.union([group, z.array(group).max(1000, 'at most 1000 groups')]).optional(),
  cursor: z.string().min(1).max(1000).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  /** Reads one file of an archive. */
  path_in_archive: z.string().min(1).max(1000).optional(),
})

function toPerson({
  user,
  groups,
}: Pick<z.output<typeof querystring>, 'user' | 'groups'>): PersonQuery | undefined {
  if (user === undefined && groups === undefined) return undefined
  return { ...(user ? { user } : {}), ...(groups === undefined ? {} : { groups: [groups].flat() }) }
}
