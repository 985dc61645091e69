import { z } from 'zod'
import { SAMPLE_URL } from '../../connectors/egress/sample-host.ts'
import { AppError } from '../../errors.ts'
import { groups, people } from '../../sample/content/people.ts'
import { sampleSource } from '../../sample/reader.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { type ConnectorRow, listConnectors } from '../../store/connectors/connectors.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { storeConnector } from '../new-connector.ts'
import { connectorShape } from '../shapes/resources.ts'
import { showConnector } from './connectors.ts'

const { type: TYPE, name: NAME, settings: SETTINGS } = sampleSource
// More sources of that name are a mistake.
const MAX_NAMES = 100

/** A source to begin with: the sample wiki inside this service. */
export function sampleRoutes(app: App, { resources }: ApiContext): void {
  const { db, egress, registry } = resources
  const tags = ['samples']

  async function find(workspaceId: string): Promise<ConnectorRow | undefined> {
    const sources = await listConnectors(db, workspaceId, { kind: 'source', type: TYPE })
    return sources.find(({ config }) => isSample(config.url))
  }

  app.get(
    '/samples',
    { config: { allows: 'viewer', keys: true }, schema: { tags, response: { 200: z.array(sampleShape) } } },
    async (request) => {
      if (egress.refusal(new URL(SAMPLE_URL))) return []
      const source = await find(callerOf(request).workspaceId)
      return [
        {
          type: TYPE,
          name: NAME,
          url: SAMPLE_URL,
          source_id: source?.id ?? null,
          people: Object.values(people).map(({ accountId, name, role }) => ({ id: accountId, name, role })),
          groups: Object.entries(groups).map(([name, { id }]) => ({ id, name })),
        },
      ]
    },
  )

  app.post(
    '/samples',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        tags,
        body: z.strictObject({ type: z.literal(TYPE).nullish() }).nullish(),
        response: { 200: connectorShape },
      },
    },
    async (request) => {
      const { workspaceId, actor } = callerOf(request)
      if (egress.refusal(new URL(SAMPLE_URL))) {
        throw new AppError('not_possible', 'the sample wiki is switched off here', {
          fix: 'The operator can switch it on with MILLRACE_SAMPLE_WIKI=on',
        })
      }
      for (let number = 1; number <= MAX_NAMES; number++) {
        const found = await find(workspaceId)
        if (found) return showConnector(registry, found)
        const type = registry.source(TYPE)
        if (!type) throw new AppError('not_possible', `this service has no source type ${TYPE}`)
        const created = await storeConnector(resources, workspaceId, {
          kind: 'source',
          type,
          typeName: TYPE,
          name: number === 1 ? NAME : `${NAME} ${number}`,
          input: { url: SAMPLE_URL, ...SETTINGS },
        })
        // Taken by another source, or by a second click.
        if (!created) continue
        const subject = { source_id: created.id, name: created.name }
        await recordAudit(db, { workspaceId, actor, action: 'make_sample', subject })
        return showConnector(registry, created)
      }
      throw new AppError('name_taken', `every name from "${NAME}" to "${NAME} ${MAX_NAMES}" is taken`)
    },
  )
}

function isSample(url: unknown): boolean {
  return typeof url === 'string' && URL.parse(url)?.origin === SAMPLE_URL
}

const named = z.object({ id: z.string(), name: z.string() })
const sampleShape = z.object({
  type: z.literal(TYPE),
  name: z.string(),
  url: z.string(),
  source_id: z.string().nullable().describe('The source created from it in this workspace, if there is one'),
  people: z.array(named.extend({ role: z.string() })).describe('Whom to search as'),
  groups: z.array(named),
})
