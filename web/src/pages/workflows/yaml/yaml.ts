import { type Document, LineCounter, parseDocument, stringify, visit } from 'yaml'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { isNodeType } from '../draft/draft.ts'
import { newKey, otherSubtypes, subtypes } from '../draft/node-subtypes.ts'
import { misplacements } from '../draft/order.ts'
import {
  DEFAULT_MAX_AGE_HOURS,
  DEFAULT_SCHEDULE,
  permissionScheduleOf,
} from '../permissions/permission-schedules.ts'
import { phrases, scheduleOf, UTC } from '../schedule/schedules.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'
import { byLine, type Path, type Problem, type YamlReader, yamlReader } from './yaml-reader.ts'

const texts = workflowsTexts.yaml

export type Named = { id: string; name: string }
export type Connectors = { sources: Named[]; destinations: Named[] }

const KEYS = [
  'version',
  'name',
  'source',
  'destination',
  'schedule',
  'schedule_timezone',
  'reprocess_all',
  'swap_index',
  'permissions_schedule',
  'max_permission_age_hours',
  'hide_in_index_after_hours',
  'nodes',
]
const NODE_KEYS = ['name', 'type', 'subtype', 'settings', 'id']

/** Names instead of ids, so that files work in other workspaces; no secrets. */
export function toYaml(draft: Draft, { sources, destinations }: Connectors): string {
  return stringify(
    {
      version: 1,
      name: draft.name,
      source: nameOf(sources, draft.sourceId),
      destination: nameOf(destinations, draft.destinationId),
      schedule: draft.schedule,
      ...(draft.scheduleTimezone === UTC ? {} : { schedule_timezone: draft.scheduleTimezone }),
      reprocess_all: draft.reprocessAll,
      swap_index: draft.swapIndex,
      permissions_schedule: draft.permissionsSchedule,
      max_permission_age_hours: draft.maxPermissionAgeHours,
      hide_in_index_after_hours: draft.hideInIndexAfterHours,
      nodes: draft.nodes.map(({ name, type, subtype, settings }) => ({ name, type, subtype, settings })),
    },
    { lineWidth: 0, nullStr: '' },
  )
}

/** A draft, or the problems by line. Known nodes keep their ids. */
export function fromYaml(
  text: string,
  connectors: Connectors,
  previousNodes: DraftNode[] = [],
): { draft: Draft } | { problems: Problem[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const syntax = [...document.errors, ...document.warnings].map(({ message, linePos }) => ({
    line: linePos?.[0].line ?? 1,
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '.') ?? message,
  }))
  const syntaxProblems = [...syntax, ...aliasesIn(document, lines)]
  if (syntaxProblems.length > 0) return { problems: syntaxProblems }
  const reader = yamlReader(document, lines)
  const draft = read(reader, connectors, previousNodes)
  return reader.problems.length > 0 ? { problems: byLine(reader.problems) } : { draft }
}

/** Rejected: nested aliases expand a few lines to gigabytes. */
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
    Object.entries(errors).map(([field, message]) => {
      const path = field.split('.').map((step) => names[step] ?? (/^\d+$/.test(step) ? Number(step) : step))
      return { line: lineAt(path), message }
    }),
  )
}

const names: Record<string, string> = {
  workflow_nodes: 'nodes',
  source_id: 'source',
  destination_id: 'destination',
}

function read(reader: YamlReader, connectors: Connectors, previousNodes: DraftNode[]): Draft {
  const root = reader.value([])
  const top = isRecord(root) ? root : {}
  if (!isRecord(root)) reader.report([], texts.notMapping)
  rejectUnknownKeys(reader, [], Object.keys(top), KEYS)
  return {
    name: textAt(reader, 'name'),
    sourceId: connectorAt(reader, 'source', connectors.sources),
    destinationId: connectorAt(reader, 'destination', connectors.destinations),
    schedule: scheduleAt(reader),
    scheduleTimezone: textAt(reader, 'schedule_timezone') || UTC,
    reprocessAll: flagAt(reader, 'reprocess_all'),
    swapIndex: flagAt(reader, 'swap_index'),
    permissionsSchedule: permissionsScheduleAt(reader),
    maxPermissionAgeHours: hoursAt(reader, 'max_permission_age_hours', DEFAULT_MAX_AGE_HOURS),
    hideInIndexAfterHours: hoursAt(reader, 'hide_in_index_after_hours', null),
    nodes: nodesAt(reader, previousNodes),
  }
}

function textAt(reader: YamlReader, key: string): string {
  const value = reader.value([key]) ?? ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  reader.report([key], texts.text(key))
  return ''
}

function flagAt(reader: YamlReader, key: string): boolean {
  const value = reader.value([key]) ?? false
  if (typeof value !== 'boolean') reader.report([key], texts.flag(key))
  return value === true
}

function scheduleAt(reader: YamlReader): string | null {
  const value = reader.value(['schedule']) ?? ''
  if (value === '') return null
  const text = String(value).trim().replaceAll(/\s+/g, ' ')
  const phrase = phrases.find((each) => each === text.toLowerCase())
  // The service checks the fields of a cron expression.
  const schedule = phrase ?? (text.split(' ').length === 5 ? scheduleOf(text) : null)
  if (!schedule) reader.report(['schedule'], texts.unknownSchedule(phrases.join(', ')))
  return schedule
}

function permissionsScheduleAt(reader: YamlReader): string {
  const value = reader.value(['permissions_schedule']) ?? DEFAULT_SCHEDULE
  const phrase = permissionScheduleOf(String(value))
  if (!phrase) reader.report(['permissions_schedule'], texts.unknownPermissionsSchedule)
  return phrase ?? DEFAULT_SCHEDULE
}

/** An empty value means no limit; a missing key means the default. */
function hoursAt(reader: YamlReader, key: string, fallback: number | null): number | null {
  const value = reader.value([key])
  if (value === undefined) return fallback
  if (value === null || (typeof value === 'number' && value > 0)) return value
  reader.report([key], texts.hours(key))
  return fallback
}

/** By name or id. */
function connectorAt(reader: YamlReader, key: 'source' | 'destination', known: Named[]): string | null {
  const given = textAt(reader, key)
  if (given === '') return null
  const found = known.find(({ id, name }) => name === given || id === given)
  if (!found) reader.report([key], texts.unknownConnector(key, given))
  return found?.id ?? null
}

function nodesAt(reader: YamlReader, previousNodes: DraftNode[]): DraftNode[] {
  const list = reader.value(['nodes'])
  if (!Array.isArray(list) || list.length === 0) {
    reader.report(['nodes'], texts.nodesList)
    return []
  }
  const nodes = list.map((_, index) => nodeAt(reader, index))
  if (nodes.some((node) => node === null)) return []
  const complete = nodes.flatMap((node) => node ?? [])
  for (const [index, misplacement] of misplacements(complete).entries()) {
    if (!misplacement) continue
    const { order } = texts
    const message =
      misplacement.why === 'only'
        ? order.only(misplacement.type)
        : misplacement.why === 'mustPrecede'
          ? order.mustPrecede(misplacement.type, misplacement.other)
          : order[misplacement.why]
    reader.report(['nodes', index, 'type'], message)
  }
  return withKnownIds(complete, previousNodes)
}

function nodeAt(reader: YamlReader, index: number): DraftNode | null {
  const path: Path = ['nodes', index]
  const raw = reader.value(path)
  if (!isRecord(raw)) {
    reader.report(path, texts.nodeMapping)
    return null
  }
  rejectUnknownKeys(reader, path, Object.keys(raw), NODE_KEYS)
  const { type, subtype, name, settings } = raw
  if (typeof type !== 'string' || !isNodeType(type)) {
    reader.report([...path, 'type'], texts.unknownType(String(type ?? '')))
    return null
  }
  const chosen = typeof subtype === 'string' && subtype ? subtype : (subtypes[type][0] ?? '')
  const known = [...subtypes[type], ...(otherSubtypes[type] ?? [])]
  if (known.length > 0 && !known.includes(chosen)) {
    reader.report([...path, 'subtype'], texts.unknownSubtype(chosen, known.join(', ')))
  }
  if (settings !== undefined && settings !== null && !isRecord(settings)) {
    reader.report([...path, 'settings'], texts.settingsMapping)
  }
  return {
    key: newKey(),
    name: typeof name === 'string' && name ? name : nameOfType(type),
    type,
    subtype: chosen,
    settings: isRecord(settings) ? settings : {},
  }
}

function nameOfType(type: NodeType): string {
  return workflowsTexts.nodes[type].name
}

/** A node of the same type and name keeps its id. */
function withKnownIds(nodes: DraftNode[], previousNodes: DraftNode[]): DraftNode[] {
  const remaining = [...previousNodes]
  return nodes.map((node) => {
    const at = remaining.findIndex(({ type, name }) => type === node.type && name === node.name)
    const [same] = at >= 0 ? remaining.splice(at, 1) : []
    return same ? { ...node, key: same.key, ...(same.id ? { id: same.id } : {}) } : node
  })
}

function rejectUnknownKeys(reader: YamlReader, path: Path, given: string[], known: string[]): void {
  for (const key of given.filter((each) => !known.includes(each))) {
    reader.report([...path, key], texts.unknownKey(key, known.join(', ')))
  }
}

function nameOf(connectors: Named[], id: string | null): string | null {
  return connectors.find((each) => each.id === id)?.name ?? id
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
