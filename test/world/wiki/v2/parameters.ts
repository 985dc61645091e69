import { canSee, canSeeSpace } from '../access/truth.ts'
import { type ApiCall, WikiError } from '../http.ts'
import type { ContentNode, NodeKind, Space } from '../model/model.ts'

/** Shared parsing of v2 requests: path, statuses, ids, body formats. */
export function visibleNode(call: ApiCall, kind: NodeKind, allowed?: string[]): ContentNode {
  const node = call.world.nodes.get(call.params.id ?? '')
  const statuses =
    allowed === undefined
      ? statusesOf(call, ['current', 'archived', 'trashed', 'deleted', 'historical', 'draft'])
      : new Set(allowed)
  if (node === undefined || node.kind !== kind || !statuses.has(node.status)) throw v2NotFound()
  if (!canSee(call.world, call.account, node)) throw v2NotFound()
  return node
}

export function visibleSpace(call: ApiCall): Space {
  const space = call.world.spaces.get(call.params.id ?? '')
  if (space === undefined || !canSeeSpace(call.world, call.account, space)) throw v2NotFound()
  return space
}

export function statusesOf(
  call: ApiCall,
  allowed: string[],
  defaults = ['current', 'archived'],
): Set<string> {
  const requested = call.query.getAll('status').flatMap((text) => text.split(','))
  const invalid = requested.find((status) => !allowed.includes(status))
  if (invalid !== undefined) throw new WikiError(400, `Provided value {${invalid}} for 'status' is not valid`)
  return new Set(requested.length === 0 ? defaults : requested)
}

export function idFilter(call: ApiCall, name: string, max: number): Set<string> | undefined {
  const requested = call.query.getAll(name).flatMap((text) => text.split(','))
  if (requested.length === 0) return undefined
  if (requested.length > max)
    throw new WikiError(
      400,
      `At most ${max} values are allowed for '${name}', but there were ${requested.length}`,
    )
  const invalid = requested.find((text) => !/^\d+$/.test(text))
  if (invalid !== undefined)
    throw new WikiError(
      400,
      `Provided value {${invalid}} for '${name}' is not the correct type. Expected type is long`,
    )
  return new Set(requested)
}

/** Lists allow only stored formats. */
export function listFormat(call: ApiCall): string | null {
  const format = call.query.get('body-format')
  if (format !== null && format !== 'storage' && format !== 'atlas_doc_format') throw badFormat(format)
  return format
}

export function singleFormat(call: ApiCall): string | null {
  const format = call.query.get('body-format')
  if (format !== null && !singleFormats.has(format)) throw badFormat(format)
  return format
}

const singleFormats = new Set([
  'storage',
  'atlas_doc_format',
  'view',
  'export_view',
  'anonymous_export_view',
  'styled_view',
  'editor',
])
const badFormat = (format: string): WikiError =>
  new WikiError(400, `Provided value {${format}} for 'body-format' is not valid here`)
export const v2NotFound = (): WikiError => new WikiError(404, 'Not Found')
