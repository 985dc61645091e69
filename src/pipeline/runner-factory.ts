import type { EmbeddingCache } from './embed/cache.ts'
import type { Embedder } from './embed/embedder.ts'
import type { RemoteEmbedder } from './embed/remote.ts'
import { type Models, type ModelsOptions, openModels } from './models/models.ts'
import type { ConfiguredProviders, ModelRef } from './models/providers.ts'
import type { PipelinePlan } from './nodes.ts'
import type { FileReading } from './partition/reading/file-reading.ts'
import { type Runner, runnerOf, type TextEmbedder } from './runner.ts'
import { soleTenant, type Tenant } from './tenant.ts'

/** Models and file readers start on first use; all jobs share them. */
export interface RunnerFactory {
  /** The model endpoints that nodes may use. */
  readonly configured: ConfiguredProviders
  create(plan: PipelinePlan): Promise<Runner>
  /** The same models and readers, for one workspace. */
  forTenant(tenant: Tenant): RunnerFactory
  embedder(embed: NonNullable<PipelinePlan['embed']>): Promise<TextEmbedder>
  /** Reads files in separate processes. */
  files(): Promise<FileReading>
  close(): Promise<void>
}

type RunnerFactoryOptions = { cache?: EmbeddingCache; models?: ModelsOptions }

/** Compares neighbouring elements, whichever model embeds the chunks. */
const LOCAL = { subtype: 'local', model: 'all-minilm-l6-v2' } as const

export function createRunnerFactory(options: RunnerFactoryOptions = {}): RunnerFactory {
  const embedders = new Map<string, Promise<Opened>>()
  const models = openModels(options.models)
  let reading: FileReading | null = null

  async function files({ workspace }: Tenant): Promise<FileReading> {
    const { createFileReading } = await import('./partition/reading/file-reading.ts')
    reading ??= createFileReading()
    return reading.forWorkspace(workspace)
  }

  function openOnce(embed: NonNullable<PipelinePlan['embed']>, workspace: string): Promise<Opened> {
    // The built-in model is large, so all workspaces share one.
    const key = JSON.stringify(embed.subtype === 'local' ? embed : { ...embed, workspace })
    const existing = embedders.get(key)
    if (existing) return existing
    const created = openEmbedder(embed, { cache: options.cache, models, workspace })
    embedders.set(key, created)
    created.catch(() => embedders.delete(key))
    return created
  }

  async function embedder(embed: NonNullable<PipelinePlan['embed']>, tenant: Tenant): Promise<TextEmbedder> {
    return (await openOnce(embed, tenant.workspace)).forTenant(tenant)
  }

  const forTenant = (tenant: Tenant): RunnerFactory => ({
    configured: models.configured,
    async create(plan) {
      const bySimilarity = plan.chunk?.subtype === 'chunk_by_similarity'
      const similarityEmbedder = bySimilarity ? await embedder(LOCAL, tenant) : null
      const find = (ref: ModelRef) => models.find(ref, tenant)
      const tools = { models: { find }, similarityEmbedder, files: await files(tenant) }
      return runnerOf(plan, plan.embed ? await embedder(plan.embed, tenant) : null, tools)
    },
    forTenant,
    embedder: (embed) => embedder(embed, tenant),
    files: () => files(tenant),
    close: async () => {
      await Promise.all([reading, ...embedders.values()].map(async (each) => (await each)?.close()))
    },
  })
  return forTenant(soleTenant)
}

type Opened = Embedder | RemoteEmbedder

async function openEmbedder(
  embed: NonNullable<PipelinePlan['embed']>,
  { cache, models, workspace }: { cache: EmbeddingCache | undefined; models: Models; workspace: string },
): Promise<Opened> {
  // Imported late: `--help` and schemas do not need the model runtime.
  if (embed.subtype === 'local') {
    const { createEmbedder } = await import('./embed/embedder.ts')
    return createEmbedder({ model: embed.model, ...(cache ? { cache } : {}) })
  }
  const { remoteEmbedder } = await import('./embed/remote.ts')
  const { remoteVectors } = await import('./embed/remote-vectors.ts')
  return remoteEmbedder(remoteVectors(embed, models, workspace), cache)
}
