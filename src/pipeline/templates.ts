import { type Configured, firstConfiguredModel } from './models/providers.ts'

/**
 * Ready-made pipelines by name, for clients that ask for one by `template_id`. The shapes are those of the
 * platform API; ids are fixed, so that a client may remember them.
 */
export type TemplateNode = {
  id: string
  name: string
  type: string
  subtype: string
  settings: Record<string, unknown>
}
export type TemplateItem = {
  id: string
  name: string
  description: string
  version: string
  last_updated: string
}
export type TemplateDetail = TemplateItem & { nodes: TemplateNode[] }

export function listTemplates(): TemplateItem[] {
  return templates.map(({ nodes: _, ...item }) => ({ ...item }))
}

/** What asks a model asks one that is configured, where there is one. */
export function findTemplate(id: string, configured: Configured = {}): TemplateDetail | undefined {
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
    description: 'Cuts every document into its elements, tables with their structure. No chunks, no vectors.',
    version: '1.0.0',
    last_updated: '2026-11-15T00:00:00Z',
    nodes: [partitioner],
  },
  {
    id: 'hi_res_and_enrichment',
    name: 'High-resolution partition and enrichment',
    description:
      'Cuts every document into its elements and describes what images and tables show, with a model of a provider.',
    version: '1.0.0',
    last_updated: '2026-11-15T00:00:00Z',
    nodes: [
      partitioner,
      enrichment('5e0c7a3e-5d1f-4a53-9c0b-6d1f3b0a7002', 'Image descriptions', 'image_description'),
      enrichment('5e0c7a3e-5d1f-4a53-9c0b-6d1f3b0a7003', 'Table descriptions', 'table_description'),
    ],
  },
]

/** `findTemplate` puts the provider before the kind. */
function enrichment(id: string, name: string, subtype: string): TemplateNode {
  return { id, name, type: 'prompter', subtype, settings: {} }
}
