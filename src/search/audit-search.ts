import { LRUCache } from 'lru-cache'
import { type AuditEntry, recordAudit } from '../store/accounts/audit.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import type { Database } from '../store/database.ts'
import type { PersonQuery, SearchPerson } from './search-person.ts'

type AuditedSearch = { workspaceId: string; actor: string; destination: ConnectorRow; person: SearchPerson }

/** The action of a named person ends in `_as`. */
export function auditSearch(
  db: Database,
  { workspaceId, actor, destination, person }: AuditedSearch,
  { action, subject }: { action: string; subject: object },
): Promise<void> {
  const entry = {
    workspaceId,
    actor,
    action: person.kind === 'named' ? `${action}_as` : action,
    subject: { destination: destination.id, name: destination.name, ...auditedPerson(person), ...subject },
  }
  return recordOncePerMinute(db, entry)
}

/** The same search of the same people: one entry per minute and process, so that paging cannot flood the log. */
async function recordOncePerMinute(db: Database, entry: AuditEntry): Promise<void> {
  const key = JSON.stringify(entry)
  if (recent.has(key)) return
  await recordAudit(db, entry)
  recent.set(key, true)
}

const MINUTE_MS = 60_000
const recent = new LRUCache<string, true>({ max: 10_000, ttl: MINUTE_MS })

// Keeps audit entries short enough to read.
const MAX_AUDITED_GROUPS = 20

/** Above the limit, records only how many groups there are. */
function auditedPerson(person: SearchPerson): { as: object } | { person: string } {
  if (person.kind === 'bound') return { person: person.name }
  const { groups, ...as }: PersonQuery = person.as
  if (!groups) return { as }
  return { as: { ...as, groups: groups.length > MAX_AUDITED_GROUPS ? groups.length : groups } }
}
