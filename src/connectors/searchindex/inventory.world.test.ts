import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CLUSTERS } from '../../../test/world/search-engine/clusters.ts'
import { freshIndex, writeItem } from '../../../test/world/search-engine/fresh-index.ts'

const { signal } = new AbortController()

for (const cluster of CLUSTERS) {
  describe(`the inventory of ${cluster.name}`, () => {
    test('it continues from a cursor over all shards, and skips no element written meanwhile', async () => {
      await using index = await freshIndex({
        cluster,
        body: { settings: { ...cluster.settings, number_of_shards: 3 } },
      })
      const { destination } = index
      await destination.prepare({ dims: null }, signal)
      const ids = Array.from({ length: 3_500 }, (_, at) => `e${at}`)
      await destination.write(
        ids.map((id) => writeItem(id)),
        5,
        signal,
      )
      await index.refresh()
      const seen: string[] = []
      let pages = 0
      for (let cursor: string | null = null; pages === 0 || cursor !== null; pages++) {
        const page = await destination.inspect.inventoryPage!(cursor, signal)
        seen.push(...page.listed.map(({ elementId }) => elementId))
        cursor = page.next
        if (pages === 2) {
          await destination.write([writeItem(seen[0]!), writeItem(ids.at(-1)!)], 6, signal)
          await index.refresh()
        }
      }
      assert.ok(pages > 4, `${pages} pages`)
      assert.deepEqual([...new Set(seen)].sort(), [...ids].sort())
    })

    test('it lists all indexes of an alias', async () => {
      await using index = await freshIndex({ cluster, kind: 'alias', extraIndex: true })
      const put = (name: string) =>
        index.engine.adminFetch(`/${name}/_doc/x?refresh=true`, {
          method: 'PUT',
          body: { record_id: 'theirs', element_id: name },
        })
      assert.ok((await put(`${index.name}-0`)).ok && (await put(`${index.name}-1`)).ok)
      const listed = (await Array.fromAsync(index.destination.inspect.inventory(signal))).flat()
      assert.deepEqual(listed.map(({ elementId }) => elementId).sort(), [
        `${index.name}-0`,
        `${index.name}-1`,
      ])
    })
  })
}
