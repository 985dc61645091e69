import type { Names } from '../../../search/names.ts'
import { namesBody, namesShape } from '../../../search/shapes/lab.ts'
import { type ApiContext, type App, callerOf, idParams } from '../../http/context.ts'
import { destinationIn } from '../connectors/connector-in.ts'

/** Names of people and groups by id, for pages that show principals. */
export function namesRoutes(app: App, { resources }: ApiContext, names: Names): void {
  const config = { allows: 'developer', keys: true } as const
  const schema = {
    params: idParams,
    body: namesBody,
    response: { 200: namesShape },
  }

  app.post('/destinations/:id/names', { config, schema }, async (request) => {
    const { workspaceId } = callerOf(request)
    const { users, groups } = request.body
    const destination = await destinationIn(resources.db, workspaceId, request.params.id)
    const found = await names.of(destination, { users, groups })
    return {
      users: users.map((id) => ({ id, name: found.users.get(id) ?? null })),
      groups: groups.map((id) => ({ id, name: found.groups.get(id) ?? null })),
    }
  })
}
