import { z } from 'zod'
import { scopesOf } from '../../../connectors/capabilities.ts'
import { mergeUpdate, type Parsed, parseConfig } from '../../../connectors/describe.ts'
import type { SourceType } from '../../../connectors/type.ts'
import { withOpen } from '../../../connectors/with-open.ts'
import { invalid } from '../../../errors.ts'
import { openSecrets } from '../../../jobs/connections.ts'
import type { ConnectorRow } from '../../../store/connectors/connectors.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { sourceIn } from './connector-in.ts'
import { typeNames } from './connectors.ts'

const PATIENCE_MS = 3_000

const scopeShape = z.object({
  key: z.string(),
  name: z.string(),
  documents: z.int().nullable().describe('About how many documents it has; null if the source does not say'),
})

/** The scopes of a source, before it is stored. */
export function optionRoutes(app: App, { resources, connections }: ApiContext): void {
  const { db, egress, registry } = resources

  function updated(row: ConnectorRow, { type, input }: { type: SourceType; input: unknown }): Parsed {
    const { secrets, release } = openSecrets(resources, row)
    // They only take part in the comparison.
    release()
    return mergeUpdate(type, { plain: row.config, secrets, wireNames: row.wire.fields }, { input, egress })
  }

  app.post(
    '/sources/options',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        body: z.strictObject({
          type: z.string().meta({ enum: typeNames(registry, 'source') }),
          config: z.looseObject({}).describe('Settings of the type; GET /connector-types has their schema'),
          source_id: z.string().nullish(),
        }),
        response: { 200: z.object({ spaces: z.array(scopeShape) }) },
      },
    },
    async (request, reply) => {
      const { type: name, config: input, source_id: sourceId } = request.body
      const type = registry.source(name)
      if (!type) {
        const known = registry.sources.map((each) => each.type).join(', ')
        throw invalid(['body', 'type'], `"${name}" is not a source type; known: ${known}`, 'enum')
      }
      const { workspaceId } = callerOf(request)
      const row = sourceId ? await sourceIn(db, workspaceId, sourceId) : null
      if (row && row.type !== type.type) {
        throw invalid(['body', 'source_id'], `the source "${row.name}" is of another type: ${row.type}`)
      }
      // As in an update: a stored secret goes to its own address only.
      const { config } = row ? updated(row, { type, input }) : parseConfig(type, input, { egress })
      const opening = connections.openUnstoredSource(
        { type, config, workspaceId },
        { maxWaitMs: PATIENCE_MS },
      )
      return withOpen(opening, async (source) => {
        const deadline = { doing: `listing the ${type.terms.scope}s` }
        const scopes = await withDeadline(reply, deadline, (signal) => scopesOf(source)(signal))
        return { spaces: scopes.map((scope) => ({ ...scope, documents: scope.documents ?? null })) }
      })
    },
  )
}
