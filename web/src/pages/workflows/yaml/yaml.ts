import { type Document, LineCounter, parseDocument, stringify, visit } from 'yaml'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { isNodeType } from '../draft/draft.ts'
import { newKey, otherSubtypes, subtypes } from '../draft/node-kinds.ts'
import { misplacements } from '../draft/order.ts'
import { phrases } from '../schedule/schedules.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'
import { byLine, type Path, type Problem, type YamlReader, yamlReader } from './yaml-reader.ts'

const texts = workflowsTexts.yaml

export type Named = { id: string; name: string }
export type Connectors = { sources: Named[]; destinations: Named[] }

const KEYS = ['version', 'name', 'source', 'destination', 'schedule', 'reprocess_all', 'swap_index', 'nodes']
const NODE_KEYS = ['name', 'type', 'subtype', 'settings', 'id']

/** Names instead of ids, so that files fit other workspaces; no secrets. */
export function toYaml(draft: Draft, { sources, destinations }: Connectors): string {
  return stringify(
    {
      version: 1,
      name: draft.name,
      source: nameOf(sources, draft.sourceId),
      destination: nameOf(destinations, draft.destinationId),
      schedule: draft.schedule,
      reprocess_all: draft.reprocessAll,
      swap_index: draft.swapIndex,
      nodes: draft.nodes.map(({ name, type, subtype, settings }) => ({ name, type, subtype, settings })),
    },
    { lineWidth: 0, nullStr: '' },
  )
}

/** A draft, or the problems by line. Known nodes keep their ids. */
export function fromYaml(
  text: string,
  connectors: Connectors,
  before: DraftNode[] = [],
): { draft: Draft } | { problems: Problem[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const syntax = [...document.errors, ...document.warnings].map(({ message, linePos }) => ({
    line: linePos?.[0].line ?? 1,
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '.') ?? message,
  }))
  const broken = [...syntax, ...aliasesIn(document, lines)]
  if (broken.length > 0) return { problems: broken }
  const reader = yamlReader(document, lines)
  const draft = read(reader, connectors, before)
  return reader.problems.length > 0 ? { problems: byLine(reader.problems) } : { draft }
}

/** Refused: nested aliases expand a few lines to gigabytes. */
function aliasesIn(document: Document, lines: LineCounter): Problem[] {
  const found: Problem[] = []
  visit(document, {
    Alias: (_, { range }) => {
      found.push({ line: lines.linePos(range?.[0] ?? 0).line, message: texts.alias })
    },
  })
  return found
}

/** The service's errors, by line. */
export function linesOf(text: string, errors: FieldErrors): Problem[] {
  const lines = new LineCounter()
  const { lineAt } = yamlReader(parseDocument(text, { lineCounter: lines }), lines)
  return byLine(
    Object.entries(errors).map(([place, message]) => {
      const path = place.split('.').map((step) => names[step] ?? (/^\d+$/.test(step) ? Number(step) : step))
      return { line: lineAt(path), message }
    }),
  )
}

const names: Record<string, string> = {
  workflow_nodes: 'nodes',
  source_id: 'source',
  destination_id: 'destination',
}

function read(reader: YamlReader, connectors: Connectors, before: DraftNode[]): Draft {
  const whole = reader.value([])
  const top = isRecord(whole) ? whole : {}
  if (!isRecord(whole)) reader.wrong([], texts.notMapping)
  refuseOthers(reader, [], Object.keys(top), KEYS)
  return {
    name: textAt(reader, 'name'),
    sourceId: connectorAt(reader, 'source', connectors.sources),
    destinationId: connectorAt(reader, 'destination', connectors.destinations),
    schedule: scheduleAt(reader),
    reprocessAll: flagAt(reader, 'reprocess_all'),
    swapIndex: flagAt(reader, 'swap_index'),
    nodes: nodesAt(reader, before),
  }
}

function textAt(reader: YamlReader, key: string): string {
  const value = reader.value([key]) ?? ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  reader.wrong([key], texts.text(key))
  return ''
}

function flagAt(reader: YamlReader, key: string): boolean {
  const value = reader.value([key]) ?? false
  if (typeof value !== 'boolean') reader.wrong([key], texts.flag(key))
  return value === true
}

function scheduleAt(reader: YamlReader): string | null {
  const value = reader.value(['schedule']) ?? ''
  if (value === '') return null
  const phrase = phrases.find((each) => each === String(value).trim().toLowerCase())
  if (!phrase) reader.wrong(['schedule'], texts.unknownSchedule(phrases.join(', ')))
  return phrase ?? null
}

/** By name or id. */
function connectorAt(reader: YamlReader, key: 'source' | 'destination', known: Named[]): string | null {
  const wanted = textAt(reader, key)
  if (wanted === '') return null
  const found = known.find(({ id, name }) => name === wanted || id === wanted)
  if (!found) reader.wrong([key], texts.unknownConnector(key, wanted))
  return found?.id ?? null
}

function nodesAt(reader: YamlReader, before: DraftNode[]): DraftNode[] {
  const list = reader.value(['nodes'])
  if (!Array.isArray(list) || list.length === 0) {
    reader.wrong(['nodes'], texts.nodesList)
    return []
  }
  const nodes = list.map((_, index) => nodeAt(reader, index))
  if (nodes.some((node) => node === null)) return []
  const whole = nodes.flatMap((node) => node ?? [])
  for (const [index, wrong] of misplacements(whole).entries()) {
    if (!wrong) continue
    const { order } = texts
    const message =
      wrong.why === 'only'
        ? order.only(wrong.type)
        : wrong.why === 'before'
          ? order.before(wrong.type, wrong.later)
          : order[wrong.why]
    reader.wrong(['nodes', index, 'type'], message)
  }
  return withKnownIds(whole, before)
}

function nodeAt(reader: YamlReader, index: number): DraftNode | null {
  const path: Path = ['nodes', index]
  const raw = reader.value(path)
  if (!isRecord(raw)) {
    reader.wrong(path, texts.nodeMapping)
    return null
  }
  refuseOthers(reader, path, Object.keys(raw), NODE_KEYS)
  const { type, subtype, name, settings } = raw
  if (typeof type !== 'string' || !isNodeType(type)) {
    reader.wrong([...path, 'type'], texts.unknownType(String(type ?? '')))
    return null
  }
  const kind = typeof subtype === 'string' && subtype ? subtype : (subtypes[type][0] ?? '')
  const known = [...subtypes[type], ...(otherSubtypes[type] ?? [])]
  if (known.length > 0 && !known.includes(kind)) {
    reader.wrong([...path, 'subtype'], texts.unknownSubtype(kind, known.join(', ')))
  }
  if (settings !== undefined && settings !== null && !isRecord(settings)) {
    reader.wrong([...path, 'settings'], texts.settingsMapping)
  }
  return {
    key: newKey(),
    name: typeof name === 'string' && name ? name : nameOfType(type),
    type,
    subtype: kind,
    settings: isRecord(settings) ? settings : {},
  }
}

function nameOfType(type: NodeType): string {
  return workflowsTexts.nodes[type].name
}

/** A node of the same type and name keeps its id. */
function withKnownIds(nodes: DraftNode[], before: DraftNode[]): DraftNode[] {
  const left = [...before]
  return nodes.map((node) => {
    const at = left.findIndex(({ type, name }) => type === node.type && name === node.name)
    const [same] = at >= 0 ? left.splice(at, 1) : []
    return same ? { ...node, key: same.key, ...(same.id ? { id: same.id } : {}) } : node
  })
}

function refuseOthers(reader: YamlReader, path: Path, given: string[], known: string[]): void {
  for (const key of given.filter((each) => !known.includes(each))) {
    reader.wrong([...path, key], texts.unknownKey(key, known.join(', ')))
  }
}

function nameOf(connectors: Named[], id: string | null): string | null {
  return connectors.find((each) => each.id === id)?.name ?? id
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
