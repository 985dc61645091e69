import { type Field, fieldsOf, type PropertySchema } from '../../../schema-form/schema.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import type { DraftNode, NodeType, Providers } from '../types.ts'

const texts = workflowsTexts.node.settings

const CHAT_PROVIDERS = ['openai', 'anthropic', 'azure_openai', 'bedrock']
const EMBEDDING_PROVIDERS = ['openai', 'azure_openai', 'bedrock', 'togetherai', 'voyageai', 'cohere']
const ENRICHMENTS = ['image_description', 'table_description', 'table2html', 'ner', 'ocr']

/** Subtypes of a provider need its configuration. */
export const subtypes: Record<NodeType, string[]> = {
  partition: ['auto', 'fast', 'hi_res', 'vlm'],
  prompter: ENRICHMENTS.flatMap((kind) => CHAT_PROVIDERS.map((provider) => `${provider}_${kind}`)),
  chunk: ['chunk_by_title', 'chunk_by_character', 'chunk_by_page', 'chunk_by_similarity'],
  embed: ['local', ...EMBEDDING_PROVIDERS],
}

/** `missing` names the variables that the service operator must set first. */
export type SubtypeOption = { subtype: string; missing: string | null }

/** Lists only usable enrichments and the chosen one, since there are many. */
export function subtypeOptions(type: NodeType, providers: Providers, chosen: string): SubtypeOption[] {
  const all = subtypes[type].map((subtype) => ({ subtype, missing: missingFor(type, subtype, providers) }))
  return type === 'prompter'
    ? all.filter(({ subtype, missing }) => missing === null || subtype === chosen)
    : all
}

export function hasLanguageModel(providers: Providers): boolean {
  return providers.some(({ answers, configured }) => answers && configured)
}

function missingFor(type: NodeType, subtype: string, providers: Providers): string | null {
  if (subtype === 'vlm') return hasLanguageModel(providers) ? null : workflowsTexts.node.anyModel
  if (type !== 'embed' && type !== 'prompter') return null
  const provider = providers.find((each) =>
    type === 'embed' ? each.provider === subtype : subtype.startsWith(`${each.provider}_`),
  )
  return !provider || provider.configured ? null : provider.set
}

const EXCLUDABLE = [
  'Title',
  'NarrativeText',
  'ListItem',
  'Table',
  'CodeSnippet',
  'Image',
  'FigureCaption',
  'UncategorizedText',
]

type Properties = Record<string, PropertySchema>

const setting = (name: keyof typeof texts, schema: PropertySchema): Properties => ({
  [name]: { ...texts[name], ...schema },
})
const whole = (name: keyof typeof texts, minimum: number, example?: number) =>
  setting(name, { type: 'integer', minimum, ...(example === undefined ? {} : { examples: [example] }) })
const flag = (name: keyof typeof texts) => setting(name, { type: 'boolean', 'x-advanced': true })

// The service's defaults (src/pipeline/chunk/settings.ts).
const limits = { ...whole('max_characters', 2, 1000), ...whole('new_after_n_chars', 0, 800) }
const overlaps = { ...whole('overlap', 0, 0), ...flag('overlap_all'), ...flag('include_orig_elements') }
const characters = { ...limits, ...overlaps }
const byTitle = {
  ...limits,
  ...whole('combine_text_under_n_chars', 0, 300),
  ...overlaps,
  ...flag('multipage_sections'),
}
const bySimilarity = {
  ...setting('similarity_threshold', { type: 'number', examples: [0.5], minimum: 0.01, maximum: 0.99 }),
  ...characters,
}
const partition = setting('exclude_elements', { type: 'array', items: { enum: EXCLUDABLE } })
const MODEL = 'all-minilm-l6-v2'
const embed = setting('model_name', { type: 'string', enum: [MODEL], default: MODEL })
const vectors: Properties = {
  model_name: { type: 'string', ...texts.remote_model_name },
  dimensions: { type: 'integer', ...texts.dimensions, minimum: 1, maximum: 4096 },
}
const model = setting('model', { type: 'string' })

const properties: Record<string, Properties> = {
  ...Object.fromEntries(EMBEDDING_PROVIDERS.map((subtype) => [subtype, vectors])),
  ...Object.fromEntries(subtypes.prompter.map((subtype) => [subtype, model])),
  vlm: { ...partition, ...model },
  auto: partition,
  fast: partition,
  hi_res: partition,
  chunk_by_title: byTitle,
  chunk_by_character: characters,
  chunk_by_page: characters,
  chunk_by_similarity: bySimilarity,
  local: embed,
}

/** The settings shown for a subtype. */
export function settingFields(subtype: string): Field[] {
  return fieldsOf({ properties: properties[subtype] ?? {} })
}

/** The subtype of a node; other clients may name it in the settings. */
export function subtypeOf({
  type,
  subtype,
  settings,
}: Pick<DraftNode, 'type' | 'subtype' | 'settings'>): string {
  if (type !== 'partition') return subtype
  if (subtype === 'vlm' && settings.is_dynamic === true) return 'auto'
  if (subtype !== 'unstructured_api') return subtype
  return typeof settings.strategy === 'string' ? settings.strategy : 'auto'
}

/** Settings that name the subtype in another client, or belong to one provider or chunker. */
const SUBTYPE_SETTINGS = [
  'is_dynamic',
  'allow_fast',
  'strategy',
  ...['provider', 'provider_type', 'model', 'model_name', 'dimensions', 'deployment'],
]
const SETTINGS_OF_SUBTYPE: Record<string, string[]> = {
  chunk_by_title: ['combine_text_under_n_chars', 'multipage_sections'],
  chunk_by_similarity: ['similarity_threshold'],
}

/** Changes the subtype and removes settings that it does not have. */
export function withSubtype(node: DraftNode, subtype: string): DraftNode {
  const others = Object.entries(SETTINGS_OF_SUBTYPE).flatMap(([other, names]) =>
    other === subtype ? [] : names,
  )
  const removed = [...SUBTYPE_SETTINGS, ...others]
  const settings = Object.entries(node.settings).filter(([name]) => !removed.includes(name))
  return { ...node, subtype, settings: Object.fromEntries(settings) }
}

let lastKey = 0

/** `crypto.randomUUID` is missing on plain http. */
export function newKey(): string {
  lastKey += 1
  return `step-${lastKey}`
}

export function newNode(type: NodeType, subtype = subtypes[type][0] ?? ''): DraftNode {
  return {
    key: newKey(),
    name: workflowsTexts.nodes[type].name,
    type,
    subtype,
    settings: {},
  }
}
