import { type ConfiguredProviders, firstConfiguredModel } from './models/providers.ts'

/** Pipelines for clients that send a `template_id`; ids are fixed, since clients store them. */
type TemplateNode = {
  id: string
  name: string
  type: string
  subtype: string
  settings: Record<string, unknown>
}
type TemplateItem = {
  id: string
  name: string
  description: string
  version: string
  last_updated: string
}
type TemplateDetail = TemplateItem & { nodes: TemplateNode[] }

export function listTemplates(): TemplateItem[] {
  return templates.map(({ nodes: _, ...item }) => ({ ...item }))
}

/** Enrichments use the first configured provider. */
export function findTemplate(id: string, configured: ConfiguredProviders = {}): TemplateDetail | undefined {
  const found = templates.find((template) => template.id === id)
  if (!found) return undefined
  const provider = firstConfiguredModel(configured)?.provider ?? 'openai'
  const nodes = found.nodes.map((node) =>
    node.type === 'prompter' ? { ...node, subtype: `${provider}_${node.subtype}` } : node,
  )
  return structuredClone({ ...found, nodes })
}

const partitioner: TemplateNode = {
  id: '5e0c7a3e-5d1f-4a53-9c0b-6d1f3b0a7001',
  name: 'Partitioner',
  type: 'partition',
  subtype: 'hi_res',
  settings: {},
}

const templates: TemplateDetail[] = [
  {
    id: 'hi_res_partition',
    name: 'High-resolution partition',
    description: 'Splits every document into elements, with the structure of tables. No chunks, no vectors.',
    version: '1.0.0',
    last_updated: '2026-11-15T00:00:00Z',
    nodes: [partitioner],
  },
  {
    id: 'hi_res_and_enrichment',
    name: 'High-resolution partition and enrichment',
    description:
      'Splits every document into elements and describes images and tables with a model of a provider.',
    version: '1.0.0',
    last_updated: '2026-11-15T00:00:00Z',
    nodes: [
      partitioner,
      enrichment('5e0c7a3e-5d1f-4a53-9c0b-6d1f3b0a7002', 'Image descriptions', 'image_description'),
      enrichment('5e0c7a3e-5d1f-4a53-9c0b-6d1f3b0a7003', 'Table descriptions', 'table_description'),
    ],
  },
]

/** `findTemplate` adds the provider to the subtype. */
function enrichment(id: string, name: string, subtype: string): TemplateNode {
  return { id, name, type: 'prompter', subtype, settings: {} }
}
