import { z } from 'zod'
import { SAMPLE_URL } from '../../connectors/egress/sample-host.ts'
import { groups, type Persona, people, personas } from '../../sample/content/people.ts'
import { sampleSource } from '../../sample/reader.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { findOrCreateSample, findSample } from '../sample.ts'
import { connectorShape } from '../shapes/resources.ts'
import { trySample } from '../try-sample.ts'
import { toConnector } from './connectors.ts'

const { type: TYPE, name: NAME } = sampleSource

/** A source to begin with: the sample wiki inside this service. */
export function sampleRoutes(app: App, context: ApiContext): void {
  const { resources } = context
  const tags = ['samples']

  app.get(
    '/samples',
    { config: { allows: 'viewer', keys: true }, schema: { tags, response: { 200: z.array(sampleShape) } } },
    async (request) => {
      const { db, egress } = resources
      if (egress.refusal(new URL(SAMPLE_URL))) return []
      const source = await findSample(db, callerOf(request).workspaceId)
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
    async (request) =>
      toConnector(resources.registry, await findOrCreateSample(resources, callerOf(request))),
  )

  app.post(
    '/samples/try',
    {
      config: { allows: 'developer', keys: true },
      schema: { tags, body: z.strictObject({}).nullish(), response: { 200: tryShape } },
    },
    async (request) => {
      const { source, destination, workflowId, jobId } = await trySample(context, callerOf(request))
      return {
        source_id: source.id,
        destination_id: destination.id,
        workflow_id: workflowId,
        job_id: jobId,
        people: [personas.priya, personas.lena].map(toTryPerson),
      }
    },
  )
}

function toTryPerson({ person, searches }: Persona): z.infer<typeof tryPerson> {
  return { id: person.accountId, name: person.name, role: person.role, query: searches[0]?.query ?? '' }
}

const named = z.object({ id: z.string(), name: z.string() })
const samplePerson = named.extend({ role: z.string() })
const sampleShape = z.object({
  type: z.literal(TYPE),
  name: z.string(),
  url: z.string(),
  source_id: z.string().nullable().describe('The source created from it in this workspace, if there is one'),
  people: z.array(samplePerson).describe('People to search as'),
  groups: z.array(named),
})

const tryPerson = samplePerson.extend({
  query: z.string().describe('A query with different results for each person'),
})
const tryShape = z.object({
  source_id: z.string(),
  destination_id: z.string(),
  workflow_id: z.string(),
  job_id: z.string().describe('The job that fills the sandbox, active or completed'),
  people: z.array(tryPerson).describe('Two people to search as'),
})
