import { z } from 'zod'
import { ENRICH_KINDS } from './enrich/kinds.ts'
import { LANGUAGE_PROVIDERS } from './models/providers.ts'

/** Element types that clients may exclude; Millrace does not produce all of them. */
const EXCLUDABLE = [
  ...['Address', 'CodeSnippet', 'EmailAddress', 'FigureCaption', 'Footer', 'Formula', 'Header', 'Image'],
  ...['ListItem', 'NarrativeText', 'PageBreak', 'Table', 'Title', 'UncategorizedText'],
] as const

const flag = z.boolean()
const text = z.string().max(10_000)
const names = z.array(z.string().max(200)).max(100)
const characters = z.int().min(0).max(1_000_000)

/** Settings for PDFs and pictures; they change nothing for other documents. */
const documentSettings = {
  include_page_breaks: flag,
  pdf_infer_table_structure: flag,
  infer_table_structure: flag,
  exclude_elements: z.array(z.enum(EXCLUDABLE)).max(100),
  xml_keep_tags: flag,
  encoding: text,
  ocr_languages: names,
  languages: names,
  extract_image_block_types: names,
  coordinates: flag,
  unique_element_ids: flag,
}

const modelSettings = {
  is_dynamic: flag,
  allow_fast: flag,
  provider: text,
  provider_api_key: text,
  model: text,
  output_format: text,
  format_html: flag,
  user_prompt: text,
}

const characterSettings = {
  unstructured_api_url: text,
  unstructured_api_key: text,
  include_orig_elements: flag,
  // A character can take two UTF-16 units.
  max_characters: characters.min(2),
  new_after_n_chars: characters,
  overlap: characters,
  overlap_all: flag,
  contextual_chunking_strategy: z.enum(['v1']),
  contextual_chunking_provider: text,
  contextual_chunking_model: text,
}

const promptSettings = {
  provider: text,
  provider_type: text,
  provider_api_key: text,
  model: text,
  prompt_interface_overrides: z.strictObject({ prompt: z.strictObject({ user: text }) }),
}
/** Each provider with each kind, and one name of another system without a provider. */
const prompters = Object.fromEntries(
  [
    'twopass_table2html',
    ...ENRICH_KINDS.flatMap((kind) => LANGUAGE_PROVIDERS.map((name) => `${name}_${kind}`)),
  ].map((subtype) => [subtype, promptSettings]),
)

// Search engines index vectors of up to 4,096 dimensions.
const embedSettings = { model_name: text, dimensions: z.int().min(1).max(4096) }

/** Settings by node type and subtype; all are optional. */
export const NODE_SETTINGS = {
  partition: {
    auto: { ...documentSettings, ...modelSettings },
    fast: documentSettings,
    hi_res: documentSettings,
    vlm: { ...documentSettings, ...modelSettings },
    unstructured_api: {
      ...documentSettings,
      strategy: z.enum(['auto', 'fast', 'hi_res', 'vlm', 'ocr_only', 'od_only']),
    },
  },
  chunk: {
    chunk_by_title: {
      ...characterSettings,
      multipage_sections: flag,
      combine_text_under_n_chars: characters,
    },
    chunk_by_character: characterSettings,
    chunk_by_page: characterSettings,
    chunk_by_similarity: { ...characterSettings, similarity_threshold: z.number().min(0.01).max(0.99) },
  },
  prompter: prompters,
  embed: {
    local: { model_name: text },
    openai: embedSettings,
    azure_openai: { ...embedSettings, deployment: text },
    bedrock: embedSettings,
    togetherai: embedSettings,
    voyageai: embedSettings,
    cohere: embedSettings,
  },
} as const satisfies Record<string, Record<string, Record<string, z.ZodType>>>

/** Settings with keys, which responses and logs mask. */
export const SECRET_NODE_SETTINGS: readonly string[] = ['provider_api_key', 'unstructured_api_key']

/** The built-in embedding model and its other name. */
export const LOCAL_MODELS: Record<string, string> = {
  'all-minilm-l6-v2': 'all-minilm-l6-v2',
  'sentence-transformers/all-minilm-l6-v2': 'all-minilm-l6-v2',
}
