import { z } from 'zod'
import { typeInformation } from '../../../connectors/type-information.ts'
import { notFound } from '../../../errors.ts'
import { isEmbeddingProvider, KNOWN_MODELS } from '../../../pipeline/embed/known-models.ts'
import {
  type ConfiguredProviders,
  isLanguageProvider,
  PROVIDER_VARIABLES,
  PROVIDERS,
  type Provider,
} from '../../../pipeline/models/providers.ts'
import { findTemplate, listTemplates } from '../../../pipeline/templates.ts'
import { type ApiContext, type App, idParams } from '../../http/context.ts'
import { LANGUAGES, pageLanguage } from '../../http/page-language.ts'
import { connectorTypeShape } from '../../shapes/connector-type.ts'
import { modelsShape, nodeShape } from '../../shapes/resources.ts'

/** The connector types, pipeline templates and models of this service. */
export function catalogueRoutes(app: App, { resources }: ApiContext): void {
  const { registry } = resources
  const types = z.array(connectorTypeShape)
  app.get(
    '/connector-types',
    { config: { allows: 'viewer', keys: true }, schema: { tags: ['connectors'], response: { 200: types } } },
    async ({ headers }, reply) => {
      reply.header('vary', 'Accept-Language, Cookie')
      const language = pageLanguage(headers, LANGUAGES)
      return [...registry.sources, ...registry.destinations].map((type) => typeInformation(type, language))
    },
  )

  app.get(
    '/templates',
    { config: { allows: 'viewer', keys: true }, schema: { response: { 200: z.array(template) } } },
    async () => listTemplates(),
  )

  app.get(
    '/models',
    { config: { allows: 'viewer', keys: true }, schema: { response: { 200: modelsShape } } },
    async () => PROVIDERS.map((provider) => describeProvider(provider, resources.runners.configured)),
  )
  const detail = template.extend({ nodes: z.array(nodeShape) })
  app.get(
    '/templates/:id',
    { config: { allows: 'viewer', keys: true }, schema: { params: idParams, response: { 200: detail } } },
    async (request) => {
      const found = findTemplate(request.params.id, resources.runners.configured)
      if (!found) throw notFound(`Template ${request.params.id}`)
      return found
    },
  )
}

function describeProvider(
  provider: Provider,
  configured: ConfiguredProviders,
): z.infer<typeof modelsShape>[number] {
  const known = isEmbeddingProvider(provider) ? Object.entries(KNOWN_MODELS[provider]) : []
  return {
    provider,
    configured: configured[provider] !== undefined,
    set: PROVIDER_VARIABLES[provider],
    answers: isLanguageProvider(provider),
    model: configured[provider]?.model || null,
    embeds: known.map(([name, { dims, characters }]) => ({
      model_name: name,
      dimensions: dims,
      max_characters: characters,
    })),
  }
}

const template = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  last_updated: z.string(),
})
