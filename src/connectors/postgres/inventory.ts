import type {
  DataSource,
  DocumentElements,
  InventoryPage,
  StoredElement,
  StoredRecord,
} from '../destination.ts'
import { inParts } from '../kit/batches.ts'
import { CONTROL_ID, keysOf, listedRecord } from '../kit/stored-element.ts'
import type { TableClient } from './connection.ts'
import type { LocatedTable } from './prepare.ts'
import { IDENTITY_ID } from './table.ts'
import { tableReplaced } from './translate.ts'

const PAGE_ROWS = 1000
/** Stays below what the egress guard accepts, with 300 KB of permissions for each. */
const BATCH_ROWS = 200

type HeldRows = { ids: string[]; fence: string; data_source: DataSource }

export async function heldRows(
  client: TableClient,
  { elements, located }: { elements: DocumentElements[]; located: LocatedTable },
  signal: AbortSignal,
): Promise<StoredElement[]> {
  const held: StoredElement[] = []
  // Elements of one document have equal values, which are sent once.
  const text = `
    select array_agg(id) as ids, fence, data_source from ${client.address.table}
    where id = any($1) group by fence, data_source`
  for (const keys of inParts(keysOf(elements), BATCH_ROWS)) {
    const values = [[IDENTITY_ID, ...keys.map(({ id }) => id)]]
    const rows = await client.read('comparing', (run) => run<HeldRows>({ text, values }), signal)
    const found = new Map(rows.flatMap((row) => row.ids.map((id) => [id, row])))
    if (found.get(IDENTITY_ID)?.data_source?.version !== located.identity)
      throw tableReplaced('comparing', client.address)
    for (const { id, recordId, elementId } of keys) {
      const row = found.get(id)
      if (row) held.push({ recordId, elementId, fence: Number(row.fence), dataSource: row.data_source })
    }
  }
  return held
}

type ListedRow = { id: string; record_id: string; element_id: string; space_key: string | null }

/** The cursor is the last id, so it stays valid. */
export async function listRowsPage(
  client: TableClient,
  cursor: string | null,
  signal: AbortSignal,
): Promise<InventoryPage> {
  const text = `
    select id, record_id, element_id, data_source->'record_locator'->>'space_key' as space_key
    from ${client.address.table} ${cursor === null ? '' : 'where id > $1'} order by id limit ${PAGE_ROWS}`
  const rows = await client.read(
    'listing',
    (run) => run<ListedRow>({ text, values: cursor === null ? [] : [cursor] }),
    signal,
  )
  return {
    listed: rows.filter(({ element_id }) => element_id !== CONTROL_ID).map(toRecord),
    next: rows.length < PAGE_ROWS ? null : rows.at(-1)!.id,
  }
}

function toRecord({ id, record_id, element_id, space_key }: ListedRow): StoredRecord {
  return listedRecord({ id, recordId: record_id, elementId: element_id, scopeKey: space_key ?? '' })
}
