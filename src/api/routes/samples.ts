import { z } from 'zod'
import { SAMPLE_URL } from '../../connectors/egress/sample-host.ts'
import { findSourceType } from '../../connectors/registry.ts'
import { AppError } from '../../errors.ts'
import { groups, people } from '../../sample/content/people.ts'
import { sampleReader } from '../../sample/reader.ts'
import { recordAudit } from '../../store/accounts/audit.ts'
import { type ConnectorRow, listConnectors } from '../../store/connectors/connectors.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { storeConnector } from '../new-connector.ts'
import { connectorShape } from '../shapes/resources.ts'
import { answer } from './connectors.ts'

const NAME = 'Sample wiki'
// Somebody with this many sources of that name has made them for the fun of it.
const MOST_NAMES = 100

/** A source to begin with: the sample wiki, which this service holds itself. */
export function sampleRoutes(app: App, { resources }: ApiContext): void {
  const { db, egress } = resources
  const tags = ['samples']

  async function find(workspaceId: string): Promise<ConnectorRow | undefined> {
    const sources = await listConnectors(db, workspaceId, { kind: 'source', type: 'wiki' })
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
          type: 'wiki' as const,
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
        body: z.strictObject({ type: z.literal('wiki').nullish() }).nullish(),
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
      for (let number = 1; number <= MOST_NAMES; number++) {
        const found = await find(workspaceId)
        if (found) return answer(found)
        const made = await storeConnector(resources, workspaceId, {
          kind: 'source',
          type: findSourceType('wiki')!,
          typeName: 'wiki',
          name: number === 1 ? NAME : `${NAME} ${number}`,
          input: { url: SAMPLE_URL, cloud: true, ...sampleReader },
        })
        // The name is taken: by another source, or by this one, when two people press at once.
        if (!made) continue
        const subject = { source_id: made.id, name: made.name }
        await recordAudit(db, { workspaceId, actor, action: 'make_sample', subject })
        return answer(made)
      }
      throw new AppError('name_taken', `every name from "${NAME}" to "${NAME} ${MOST_NAMES}" is taken`)
    },
  )
}

function isSample(url: unknown): boolean {
  return typeof url === 'string' && URL.parse(url)?.origin === SAMPLE_URL
}

const named = z.object({ id: z.string(), name: z.string() })
const sampleShape = z.object({
  type: z.literal('wiki'),
  name: z.string(),
  url: z.string(),
  source_id: z.string().nullable().describe('The source made of it in this workspace, where there is one'),
  people: z.array(named.extend({ role: z.string() })).describe('Whom to search as'),
  groups: z.array(named),
})
