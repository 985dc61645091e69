import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silent, writeItem } from '../../../test/world/search-engine/fresh-index.ts'
import { tableDestination } from '../../../test/world/table-destination.ts'
import { createEgress } from '../egress/guard.ts'
import { postgresConfig } from './config.ts'
import { openPostgres } from './destination.ts'

const PACE = { attempts: 6, firstMs: 10, maxMs: 20, connectMs: 10_000, statementMs: 3_000, graceMs: 15_000 }

test('it writes rows that a silent process has locked, and the late write changes nothing', async () => {
  const table = await tableDestination()
  const egress = createEgress({ publicOnly: false })
  const { signal } = new AbortController()
  const open = () => openPostgres(postgresConfig.parse(table.config), { egress, log: silent }, PACE)
  const [frozen, other] = [open(), open()]
  try {
    await frozen.prepare({ dims: null }, signal)
    const isSilent = table.proxy.silenceAtCommit()
    const late = frozen.write([writeItem('a', { text: 'late' })], 1, signal)
    await isSilent
    assert.deepEqual(await other.write([writeItem('a', { text: 'newer' })], 2, signal), [])
    const [rejection] = await late
    assert.equal(rejection?.kind, 'superseded')
    assert.deepEqual(
      (await table.contents()).map(({ _source }) => _source.text),
      ['newer'],
    )
  } finally {
    await Promise.all([frozen.close(), other.close()])
    await egress.close()
    await table.close()
  }
})
