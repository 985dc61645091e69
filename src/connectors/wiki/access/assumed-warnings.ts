import type { Warning } from '../../../report.ts'
import type { Space } from '../client.ts'
import type { Assumption } from './access-context.ts'
import type { SpaceAccess } from './page-access.ts'

const NODES_NAMED = 5

/** Counts the documents of a space for which `unproved_ancestors` decided. */
export function createAssumedWarnings(space: Space, assumption: Assumption) {
  const nodes = new Map<string, string>()
  let documents = 0
  let reason = ''

  return {
    add(assumed: ReturnType<SpaceAccess['assumed']>, count: number): void {
      if (!assumed) return
      const { node, kind } = assumed
      documents += count
      reason ||= assumed.reason
      if (node) nodes.set(node.id, `${kind} ${node.id} (${node.title})`)
    },
    warnings(): Warning[] {
      if (documents === 0) return []
      const shown = [...nodes.values()].slice(0, NODES_NAMED).join(', ')
      const more = nodes.size > NODES_NAMED ? ` and ${nodes.size - NODES_NAMED} more` : ''
      const message =
        `${documents} documents of space ${space.key} are below ${shown}${more}; whether these are restricted ` +
        `could not be verified: ${reason}. ${EFFECT[assumption]}. ${REMEDY[assumption]}`
      return [{ code: 'ancestors_assumed', message, documents, setting: 'unproved_ancestors' }]
    },
  }
}

const EFFECT: Record<Assumption, string> = {
  hide: 'Only people confirmed by the wiki find them, because unproved_ancestors is hide',
  open: 'They count as not restricted, because unproved_ancestors is open',
}

const REMEDY: Record<Assumption, string> = {
  hide: 'Make the account a Confluence administrator, or set unproved_ancestors to open if none of these is restricted',
  open: 'Make the account a Confluence administrator so that this can be verified, or set unproved_ancestors to hide',
}
