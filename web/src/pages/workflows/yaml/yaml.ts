import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument, stringify, visit } from 'yaml'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { emptyDraft, isNodeType } from '../draft/draft.ts'
import { newKey, subtypes } from '../draft/node-subtypes.ts'
import type { Draft, DraftNode } from '../types.ts'

const texts = workflowsTexts.yaml

export type Named = { id: string; name: string }
export type Connectors = { sources: Named[]; destinations: Named[] }
export type Problem = { line: number; message: string }
type Path = (string | number)[]

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
const DEFAULTS = emptyDraft()

/** Names instead of ids, so that files work in other workspaces; no secrets. */
export function toYaml(draft: Draft, { sources, destinations }: Connectors): string {
  const zone = draft.scheduleTimezone
  return stringify(
    {
      version: 1,
      name: draft.name,
      source: nameOf(sources, draft.sourceId),
      destination: nameOf(destinations, draft.destinationId),
      schedule: draft.schedule,
      ...(zone === DEFAULTS.scheduleTimezone ? {} : { schedule_timezone: zone }),
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

/** A draft, or the problems by line. Known nodes keep their ids. The service checks the values when they are saved. */
export function fromYaml(
  text: string,
  connectors: Connectors,
  previousNodes: DraftNode[] = [],
): { draft: Draft } | { problems: Problem[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true })
  const problems = [...document.errors, ...document.warnings].map(({ message, linePos }) => ({
    line: linePos?.[0].line ?? 1,
    message: message.split('\n')[0]?.replace(/ at line \d+, column \d+:?$/, '.') ?? message,
  }))
  visit(document, {
    // Rejected: nested aliases expand a few lines to gigabytes.
    Alias: (_, { range }) => {
      problems.push({ line: lines.linePos(range?.[0] ?? 0).line, message: texts.alias })
    },
  })
  if (problems.length > 0) return { problems }
  const report = (path: Path, message: string) =>
    void problems.push({ line: lineOf(document, lines, path), message })
  const draft = readDraft(document.toJS() as unknown, { ...connectors, previousNodes, report })
  return problems.length > 0 ? { problems: byLine(problems) } : { draft }
}

/** The service's errors, by line. */
export function linesOf(text: string, errors: FieldErrors): Problem[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  return byLine(
    Object.entries(errors).map(([field, message]) => {
      const path = field
        .replace(/^workflow_nodes/, 'nodes')
        .replace(/^(source|destination)_id/, '$1')
        .split('.')
        .map((step) => (/^\d+$/.test(step) ? Number(step) : step))
      return { line: lineOf(document, lines, path), message }
    }),
  )
}

/** The line of a value, or of its nearest parent. */
function lineOf(document: Document, lines: LineCounter, path: Path): number {
  for (let length = path.length; length >= 0; length--) {
    const offset = offsetOf(document, path.slice(0, length))
    if (offset !== undefined) return lines.linePos(offset).line
  }
  return 1
}

/** For a map entry, the offset of its key, not of its value. */
function offsetOf(document: Document, path: Path): number | undefined {
  const parent: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents
  const last = path.at(-1)
  if (isMap(parent) && last !== undefined) {
    const pair = parent.items.find(({ key }) => isScalar(key) && key.value === last)
    return isScalar(pair?.key) ? pair.key.range?.[0] : undefined
  }
  const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true)
  return (node as Node | undefined)?.range?.[0]
}

type Report = (path: Path, message: string) => void
type Context = Connectors & { previousNodes: DraftNode[]; report: Report }

function readDraft(root: unknown, { sources, destinations, previousNodes, report }: Context): Draft {
  const top = isRecord(root) ? root : {}
  if (!isRecord(root)) report([], texts.notMapping)
  rejectUnknownKeys(top, KEYS, [], report)
  const text = (key: string, fallback: string): string => {
    const value = top[key] ?? fallback
    if (typeof value === 'string' || typeof value === 'number') return String(value).trim()
    report([key], texts.text(key))
    return fallback
  }
  const flag = (key: string): boolean => {
    const value = top[key] ?? false
    if (typeof value !== 'boolean') report([key], texts.flag(key))
    return value === true
  }
  /** An empty value means no limit; a missing key means the default. */
  const hours = (key: string, fallback: number | null): number | null => {
    const value = key in top ? top[key] : fallback
    if (value === null || typeof value === 'number') return value
    report([key], texts.hours(key))
    return fallback
  }
  /** By name or id. */
  const connector = (key: 'source' | 'destination', known: Named[]): string | null => {
    const given = text(key, '')
    const found = known.find(({ id, name }) => name === given || id === given)
    if (given && !found) report([key], texts.unknownConnector(key, given))
    return found?.id ?? null
  }
  return {
    name: text('name', ''),
    sourceId: connector('source', sources),
    destinationId: connector('destination', destinations),
    schedule: text('schedule', '') || null,
    scheduleTimezone: text('schedule_timezone', DEFAULTS.scheduleTimezone),
    reprocessAll: flag('reprocess_all'),
    swapIndex: flag('swap_index'),
    permissionsSchedule: text('permissions_schedule', DEFAULTS.permissionsSchedule),
    maxPermissionAgeHours: hours('max_permission_age_hours', DEFAULTS.maxPermissionAgeHours),
    hideInIndexAfterHours: hours('hide_in_index_after_hours', DEFAULTS.hideInIndexAfterHours),
    nodes: withKnownIds(readNodes(top.nodes, report), previousNodes),
  }
}

function readNodes(list: unknown, report: Report): DraftNode[] {
  if (!Array.isArray(list) || list.length === 0) {
    report(['nodes'], texts.nodesList)
    return []
  }
  return list.flatMap((raw: unknown, index): DraftNode[] => {
    const path = ['nodes', index]
    if (!isRecord(raw)) {
      report(path, texts.nodeMapping)
      return []
    }
    rejectUnknownKeys(raw, NODE_KEYS, path, report)
    const { type, subtype, name, settings } = raw
    if (typeof type !== 'string' || !isNodeType(type)) {
      report([...path, 'type'], texts.unknownType(String(type ?? '')))
      return []
    }
    if (!isRecord(settings ?? {})) report([...path, 'settings'], texts.settingsMapping)
    return [
      {
        key: newKey(),
        name: typeof name === 'string' && name ? name : workflowsTexts.nodes[type].name,
        type,
        subtype: typeof subtype === 'string' && subtype ? subtype : (subtypes[type][0] ?? ''),
        settings: isRecord(settings) ? settings : {},
      },
    ]
  })
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

function rejectUnknownKeys(
  given: Record<string, unknown>,
  known: string[],
  path: Path,
  report: Report,
): void {
  for (const key of Object.keys(given).filter((each) => !known.includes(each)))
    report([...path, key], texts.unknownKey(key, known.join(', ')))
}

function byLine(problems: Problem[]): Problem[] {
  return problems.toSorted((one, other) => one.line - other.line)
}

function nameOf(connectors: Named[], id: string | null): string | null {
  return connectors.find((each) => each.id === id)?.name ?? id
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
