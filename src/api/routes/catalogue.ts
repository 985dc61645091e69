import { z } from 'zod'
import { connectorTypes } from '../../connectors/registry.ts'
import { findTemplate, listTemplates } from '../../pipeline/templates.ts'
import type { ApiContext, App } from '../context.ts'
import { notFound } from '../errors.ts'
import { nodeShape } from '../shapes.ts'

/** What can be connected and which pipelines come ready-made. */
export function catalogueRoutes(app: App, { resources }: ApiContext): void {
  const { configured } = resources.workshop
  const types = z.array(
    z.object({
      type: z.string(),
      kind: z.enum(['source', 'destination']),
      title: z.string(),
      schema: z.record(z.string(), z.unknown()),
    }),
  )
  app.get(
    '/connector-types',
    { config: { allows: 'viewer', keys: true }, schema: { tags: ['connectors'], response: { 200: types } } },
    async () => connectorTypes(),
  )

  app.get(
    '/templates',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags: ['templates'], response: { 200: z.array(template) } },
    },
    async () => listTemplates(),
  )

  const params = z.object({ id: z.string() })
  const detail = template.extend({ nodes: z.array(nodeShape) })
  app.get(
    '/templates/:id',
    {
      config: { allows: 'viewer', keys: true },
      schema: { tags: ['templates'], params, response: { 200: detail } },
    },
    async (request) => {
      const found = findTemplate(request.params.id, configured)
      if (!found) throw notFound(`Template ${request.params.id}`)
      return found
    },
  )
}

const template = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  last_updated: z.string(),
})
