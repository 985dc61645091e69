import { createHash } from 'node:crypto'
import { type Node, settingsHash } from '../pipeline/nodes.ts'

/**
 * Changes when a document would have to be worked again although it has not changed: other nodes, another way of
 * rendering, another index. A source that renders in its plainest way adds nothing, so that what was written before
 * there were others stands.
 */
export function runHash(nodes: Node[], identity: string, rendition: string): string {
  const parts = [settingsHash(nodes), identity, ...(rendition === '' ? [] : [rendition])]
  return createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, 32)
}
