import { z } from 'zod'
import type { SampleOffer } from '../../../connectors/type.ts'
import { invalid } from '../../../errors.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { connectorShape } from '../../shapes/resources.ts'
import { noBody } from '../../shapes/rules.ts'
import { toConnector } from './connectors.ts'
import { findOrCreateSample, findSample, offeredSample, requireSample } from './sample.ts'
import { trySample } from './try-sample.ts'

/** A source to begin with: the sample wiki that comes with the service. */
export function sampleRoutes(app: App, context: ApiContext): void {
  const { resources } = context
  const { db, registry } = resources

  app.get(
    '/samples',
    { config: { allows: 'viewer', keys: true }, schema: { response: { 200: z.array(sampleShape) } } },
    async (request) => {
      const sample = await offeredSample(registry)
      if (!sample) return []
      const { type, offer } = sample
      const source = await findSample(db, callerOf(request).workspaceId, type)
      const { name, address: url, people, groups } = offer
      return [{ type: type.type, name, url, source_id: source?.id ?? null, people, groups }]
    },
  )

  app.post(
    '/samples',
    {
      config: { allows: 'developer', keys: true },
      schema: {
        body: z.strictObject({ type: z.string().nullish() }).nullish(),
        response: { 200: connectorShape },
      },
    },
    async (request) => {
      const { type } = (await requireSample(registry)).type
      const wanted = request.body?.type
      if (wanted && wanted !== type) throw invalid(['body', 'type'], `the only sample is ${type}`)
      return toConnector(registry, await findOrCreateSample(resources, callerOf(request)))
    },
  )

  app.post(
    '/samples/try',
    {
      config: { allows: 'developer', keys: true },
      schema: { body: noBody, response: { 200: tryShape } },
    },
    async (request) => {
      const { source, destination, workflowId, jobId } = await trySample(context, callerOf(request))
      const { offer } = await requireSample(registry)
      return {
        source_id: source.id,
        destination_id: destination.id,
        workflow_id: workflowId,
        job_id: jobId,
        people: tryPeople(offer),
      }
    },
  )
}

function tryPeople({ people, searches }: SampleOffer): z.infer<typeof tryPerson>[] {
  return searches.flatMap(({ person, query }) => {
    const found = people.find(({ id }) => id === person)
    return found ? [{ ...found, query }] : []
  })
}

const named = z.object({ id: z.string(), name: z.string() })
const samplePerson = named.extend({ role: z.string() })
const sampleShape = z.object({
  type: z.string(),
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
