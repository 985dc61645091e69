import { createHash, randomUUID } from 'node:crypto'
import { z } from 'zod'
import { AppError } from '../errors.ts'
import type { ChunkSettings } from './chunk/chunk-elements.ts'
import {
  CHUNK_DEFAULTS,
  type CharacterSettings,
  SIMILARITY_THRESHOLD,
  type TitleSettings,
} from './chunk/settings.ts'
import { type EmbeddingProvider, knownModel } from './embed/known-models.ts'
import type { RemoteEmbed } from './embed/remote-vectors.ts'
import { type EnrichStep, MAX_CONTEXT_LENGTH } from './enrich/kinds.ts'
import {
  contextModelOf,
  planEmbedding,
  planEnrichment,
  usesVisionModel,
  visionModelOf,
  withDefaultModels,
} from './model-nodes.ts'
import type { ConfiguredProviders, ModelRef } from './models/providers.ts'
import { checkNode, type NodeError, type RawNode } from './node-checks.ts'
import { LOCAL_MODELS, SECRET_NODE_SETTINGS } from './node-settings.ts'

/** Increase it when elements change for the same input; jobs then rewrite all documents. */
const PIPELINE_VERSION = 2

type NodeOf<Type extends string, Subtype extends string> = {
  id: string
  name: string
  type: Type
  subtype: Subtype
  /** Kept as sent, so that clients read back what they wrote. */
  settings: Record<string, unknown>
}
type PartitionNode = NodeOf<'partition', 'auto' | 'fast' | 'hi_res' | 'vlm' | 'unstructured_api'>
type PrompterNode = NodeOf<'prompter', string>
type ChunkNode = NodeOf<
  'chunk',
  'chunk_by_title' | 'chunk_by_character' | 'chunk_by_page' | 'chunk_by_similarity'
>
type EmbedNode = NodeOf<'embed', 'local' | EmbeddingProvider>
export type PipelineNode = PartitionNode | PrompterNode | ChunkNode | EmbedNode

/** The JSON shape; `parseNodes` checks settings and order. */
export const nodesSchema = z.array(
  z.object({
    id: z.string().nullish(),
    name: z.string().nullish(),
    type: z.string(),
    subtype: z.string().nullish(),
    settings: z.record(z.string(), z.unknown()).nullish(),
  }),
)

export type PipelinePlan = {
  partition: {
    strategy: 'auto' | 'fast' | 'hi_res' | 'vlm'
    exclude_elements: string[]
    ocr_languages: string[]
    /** Keeps `box`, for a view. */
    boxes?: true
    /** For the strategy vlm. */
    model?: ModelRef
  }
  /** Absent if there are none, so that hashes from before enrichments stay the same. */
  enrich?: EnrichStep[]
  chunk: ChunkSettings | null
  /** Describes the position of each chunk in its document. */
  context?: ModelRef
  embed: null | { subtype: 'local'; model: string } | RemoteEmbed
}

/** Parses nodes as a person wrote them; the error names every bad node. */
export function parseNodes(input: unknown, rules: NodeRules = {}): PipelineNode[] {
  const { loc = ['body', 'workflow_nodes'], configured = {} } = rules
  if (input === undefined || input === null || input === '') return defaultNodes()
  if (!Array.isArray(input)) {
    throw invalid([{ loc, msg: 'workflow_nodes has to be a list of nodes', type: 'list_type' }])
  }
  if (input.length === 0) return defaultNodes()
  if (input.length > 50) throw invalid([{ loc, msg: 'a workflow has at most 50 nodes', type: 'too_long' }])

  const checked = input.map((node, index) => checkNode(node, index, { loc, configured }))
  const fields = checked.flatMap((result) => result.fields)
  if (fields.length > 0) throw invalid(fields)
  const nodes = checked.flatMap(({ node }) => (node ? [node] : []))
  const misplaced = [...checkOrder(nodes, loc), ...checkIds(nodes, loc)]
  if (misplaced.length > 0) throw invalid(misplaced)
  // The checks above validated type and subtype.
  return nodes.map(({ label: _, ...node }) => {
    const settings = withoutSecrets(withDefaultModels(node, configured))
    return { ...node, id: node.id ?? randomUUID(), settings } as PipelineNode
  })
}
/** `loc`: the path of the nodes in the request. */
type NodeRules = { loc?: (string | number)[]; configured?: ConfiguredProviders }

/** Stored nodes were parsed before. */
export function storedNodes({ nodes }: { nodes: readonly StoredNode[] }): PipelineNode[] {
  return nodes.map((node) => ({ ...node, settings: node.settings ?? {} }) as PipelineNode)
}
type StoredNode = { id: string; type: string; subtype: string; settings: Record<string, unknown> | null }

/** Masks API keys, which no node uses. */
function withoutSecrets(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) =>
      SECRET_NODE_SETTINGS.includes(name) && typeof value === 'string' ? [name, '**********'] : [name, value],
    ),
  )
}

export function defaultNodes(): PipelineNode[] {
  return [
    { id: randomUUID(), name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} },
    { id: randomUUID(), name: 'Chunker', type: 'chunk', subtype: 'chunk_by_title', settings: {} },
    { id: randomUUID(), name: 'Embedder', type: 'embed', subtype: 'local', settings: {} },
  ]
}

/** The nodes with all defaults; equal work has equal plans. */
export function plan(nodes: readonly PipelineNode[]): PipelinePlan {
  const partition = nodes.find((node) => node.type === 'partition')
  const chunk = nodes.find((node) => node.type === 'chunk')
  const embed = nodes.find((node) => node.type === 'embed')
  const enrich = nodes.flatMap((node) => (node.type === 'prompter' ? planEnrichment(node) : []))
  const context = chunk?.settings.contextual_chunking_strategy ? contextModelOf(chunk.settings) : null
  return {
    partition: planPartition(partition),
    ...(enrich.length > 0 ? { enrich } : {}),
    chunk: chunk ? planChunk(chunk) : null,
    ...(context ? { context } : {}),
    embed: embed ? planEmbed(embed) : null,
  }
}

/** Changes if processing a document would give another result. */
export function settingsHash(nodes: readonly PipelineNode[]): string {
  return createHash('sha256')
    .update(JSON.stringify([PIPELINE_VERSION, plan(nodes)]))
    .digest('hex')
    .slice(0, 32)
}

/** Settings that are allowed, but probably a mistake. */
export function nodeWarnings(nodes: readonly PipelineNode[]): { code: string; message: string }[] {
  const { partition, chunk, context, embed } = plan(nodes)
  const warnings = partition.strategy === 'hi_res' ? [HI_RES] : []
  if (!embed || !chunk) return warnings
  const maxCharacters = maxCharactersOf(embed)
  const contextLength = context ? MAX_CONTEXT_LENGTH : 0
  if (maxCharacters === null || chunk.max_characters + contextLength <= maxCharacters) return warnings
  return [
    ...warnings,
    {
      code: 'chunks_beyond_embedder',
      message:
        `max_characters is ${chunk.max_characters}${context ? ` plus a context of up to ${contextLength}` : ''}, but the model ${embed.model} reads only about the first ` +
        `${maxCharacters.toLocaleString('en')} characters: only keyword search finds the rest of a chunk`,
    },
  ]
}

/** Null if unknown. The local model reads 256 tokens. */
function maxCharactersOf(embed: NonNullable<PipelinePlan['embed']>): number | null {
  if (embed.subtype === 'local') return CHUNK_DEFAULTS.max_characters
  return knownModel(embed.subtype, embed.model)?.characters ?? null
}

const HI_RES = {
  code: 'hi_res_of_pdfs',
  message:
    'hi_res finds more than auto in PDFs and pictures: tables without lines, and by OCR the text of pages without ' +
    'readable text and of pictures in pages; all other documents are read as with auto',
}

function planPartition(node: PartitionNode | undefined): PipelinePlan['partition'] {
  const { strategy, exclude_elements: excluded, ocr_languages: languages } = node?.settings ?? {}
  const requested = node?.subtype === 'unstructured_api' ? strategy : node?.subtype
  const common = {
    exclude_elements: Array.isArray(excluded) ? [...new Set(excluded.map(String))].sort() : [],
    ocr_languages: Array.isArray(languages) && languages.length > 0 ? languages.map(String) : ['eng'],
  }
  const model = node && usesVisionModel(node.subtype, node.settings) ? visionModelOf(node.settings) : null
  if (model) return { strategy: 'vlm', ...common, model }
  return { strategy: requested === 'fast' || requested === 'hi_res' ? requested : 'auto', ...common }
}

function planChunk({ subtype, settings }: ChunkNode): PipelinePlan['chunk'] {
  const number = (key: keyof TitleSettings) => {
    const value = settings[key]
    return typeof value === 'number' ? value : Number(CHUNK_DEFAULTS[key])
  }
  const max = number('max_characters')
  const common: CharacterSettings = {
    max_characters: max,
    new_after_n_chars: Math.min(number('new_after_n_chars'), max),
    overlap: number('overlap'),
    overlap_all: settings.overlap_all === true,
    include_orig_elements: settings.include_orig_elements === true,
  }
  if (subtype === 'chunk_by_character' || subtype === 'chunk_by_page') return { subtype, ...common }
  if (subtype === 'chunk_by_similarity') {
    const threshold = Number(settings.similarity_threshold ?? SIMILARITY_THRESHOLD)
    return { subtype, ...common, similarity_threshold: threshold || SIMILARITY_THRESHOLD }
  }
  return {
    subtype: 'chunk_by_title',
    ...common,
    combine_text_under_n_chars: Math.min(number('combine_text_under_n_chars'), max),
    multipage_sections: settings.multipage_sections === true,
  }
}

function planEmbed({ subtype, settings }: EmbedNode): PipelinePlan['embed'] {
  const remote = planEmbedding(subtype, settings)
  if (remote) return remote
  const name = String(settings.model_name ?? '').toLowerCase()
  return { subtype: 'local', model: LOCAL_MODELS[name] ?? 'all-minilm-l6-v2' }
}

const ORDER: Record<string, number> = { partition: 0, prompter: 1, chunk: 2, embed: 3 }

/** Partition first, then enrichments, then one chunk node, then one embed node. */
function checkOrder(nodes: RawNode[], loc: (string | number)[]): NodeError[] {
  return nodes.flatMap((node, index) => {
    const before = nodes.slice(0, index).map(({ type }) => type)
    const msg = orderProblem(node, before)
    const { label } = node
    return msg ? [{ loc: [...loc, index, 'type'], msg, type: 'value_error', label }] : []
  })
}

function orderProblem({ type }: RawNode, before: string[]): string | null {
  if (before.length === 0) return type === 'partition' ? null : 'the first node has to be a partition node'
  if (type !== 'prompter' && before.includes(type)) return `there can be only one ${type} node`
  const later = before.find((other) => (ORDER[other] ?? 0) > (ORDER[type] ?? 0))
  if (later) return `a ${type} node has to come before the ${later} node`
  if (type === 'embed' && !before.includes('chunk')) return 'an embed node needs a chunk node before it'
  return null
}

function checkIds(nodes: RawNode[], loc: (string | number)[]): NodeError[] {
  return nodes.flatMap(({ id, label }, index) =>
    id !== undefined && nodes.findIndex((other) => other.id === id) !== index
      ? [{ loc: [...loc, index, 'id'], msg: 'another node has the same id', type: 'value_error', label }]
      : [],
  )
}

function invalid(errors: NodeError[]): AppError {
  const lines = errors.map(({ label, msg }) => (label ? `${label}: ${msg}` : msg))
  return new AppError('invalid_request', `reading the workflow's nodes: ${lines.join('; ')}`, {
    fields: errors.map(({ label: _, ...field }) => field),
  })
}
