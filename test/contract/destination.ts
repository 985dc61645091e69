import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Destination, WriteItem } from '../../src/connectors/destination.ts'
import type { DestinationType } from '../../src/connectors/type.ts'
import { NO_ONE_TOKEN } from '../../src/permissions/principals.ts'
import { searchHits } from '../world/search-hits.ts'
import { typeContract } from './type.ts'

/** An empty destination, and access to its content. */
export type DestinationUnderTest = {
  destination: Destination
  item(recordId: string, elementId: string, readers: string[]): WriteItem
  read(recordId: string, elementId: string): Promise<Record<string, unknown> | undefined>
  refresh(): Promise<void>
}

/** The contract of every destination. */
export function destinationContract(type: DestinationType, opened: () => DestinationUnderTest): void {
  const { signal } = new AbortController()
  const shape = { dims: null }
  const has = (capability: DestinationType['capabilities'][number]) => type.capabilities.includes(capability)
  let fence = 0

  typeContract(type)

  test('it has the capabilities that its type declares', () => {
    const all: DestinationType['capabilities'][number][] = ['search', 'inspect', 'swap', 'control', 'create']
    const { destination } = opened()
    assert.deepEqual(
      all.filter((name) => destination[name] !== undefined),
      all.filter(has),
    )
    assert.ok(has('inspect') || !has('swap'), 'a swap needs inspect')
    assert.ok(has('inspect') || !has('control'), 'a control record needs inspect')
  })

  test('it names its check steps and passes', async () => {
    const report = await opened().destination.check(signal)
    assert.equal(report.ok, true, JSON.stringify(report))
    for (const step of report.steps) assert.ok(step.name && step.detail)
  })

  test('it changes nothing when prepared twice', async () => {
    const { destination } = opened()
    assert.deepEqual(await destination.prepare(shape, signal), await destination.prepare(shape, signal))
  })

  test('it stores an element that is written twice once, as written last', async () => {
    const { destination, item, read } = opened()
    const first = item('w/1', 'e1', ['user:a'])
    assert.deepEqual(await destination.write([first], ++fence, signal), [])
    assert.deepEqual(
      await destination.write([{ ...first, element: { ...first.element, text: 'newer' } }], ++fence, signal),
      [],
    )
    assert.equal((await read('w/1', 'e1'))?.text, 'newer')
  })

  test('it replaces permissions and nothing else', async () => {
    const { destination, item, read } = opened()
    const before = item('w/2', 'e1', ['user:a'])
    await destination.write(
      [{ ...before, dataSource: { ...before.dataSource, access: { c0: ['user:a'], c1: ['group:g'] } } }],
      ++fence,
      signal,
    )
    const after = item('w/2', 'e1', ['user:b']).dataSource
    assert.deepEqual(
      await destination.updateAccess(
        [{ recordId: 'w/2', elementIds: ['e1'], dataSource: after }],
        ++fence,
        signal,
      ),
      [],
    )
    const now = await read('w/2', 'e1')
    assert.equal(now?.text, before.element.text)
    assert.deepEqual((now?.metadata as { data_source: object } | undefined)?.data_source, after)
  })

  test('it rejects permissions for a missing element and names it', async () => {
    const { destination, item } = opened()
    const rejections = await destination.updateAccess(
      [{ recordId: 'w/none', elementIds: ['e9'], dataSource: item('w/none', 'e9', []).dataSource }],
      ++fence,
      signal,
    )
    assert.deepEqual(
      [...new Set(rejections.map(({ recordId, elementId, kind }) => `${recordId} ${elementId} ${kind}`))],
      ['w/none e9 missing'],
    )
  })

  test('it removes elements, and ignores missing ones', async () => {
    const { destination, item, read } = opened()
    await destination.write([item('w/3', 'e1', ['user:a']), item('w/3', 'e2', ['user:a'])], ++fence, signal)
    const gone = [{ recordId: 'w/3', elementIds: ['e1'] }]
    await destination.remove(gone, ++fence, signal)
    await destination.remove(gone, ++fence, signal)
    assert.equal(await read('w/3', 'e1'), undefined)
    assert.ok(await read('w/3', 'e2'))
  })

  test('it does not change an element with a higher fence', async () => {
    const { destination, item, read } = opened()
    const late = ++fence
    await destination.write([item('w/7', 'e1', ['user:a'])], ++fence, signal)
    const before = await read('w/7', 'e1')
    const older = item('w/7', 'e1', ['user:b'])
    const { element, dataSource } = older
    const access = [{ recordId: 'w/7', elementIds: ['e1'], dataSource }]
    const rejections = [
      ...(await destination.write([{ ...older, element: { ...element, text: 'older' } }], late, signal)),
      ...(await destination.updateAccess(access, late, signal)),
    ]
    assert.deepEqual(
      rejections.map(({ kind }) => kind),
      ['superseded', 'superseded'],
    )
    await destination.remove(access, late, signal)
    assert.deepEqual(await read('w/7', 'e1'), before)
  })

  if (has('search'))
    test('it shows a person only what they may read', async () => {
      const { destination, item, refresh } = opened()
      const search = destination.search ?? assert.fail('no search')
      await destination.write(
        [
          item('w/4', 'e1', ['user:ann']),
          item('w/5', 'e1', ['group:few']),
          item('w/6', 'e1', [NO_ONE_TOKEN]),
        ],
        ++fence,
        signal,
      )
      await refresh()
      const found = async (tokens: string[]) => {
        const { hits, total } = await searchHits(
          search,
          { query: 'contract', tokens, size: 50, from: 0 },
          signal,
        )
        assert.equal(total, hits.length)
        return hits
          .map((hit) => hit.record_id)
          .filter((id) => ['w/4', 'w/5', 'w/6'].includes(id))
          .sort()
      }
      assert.deepEqual(await found(['user:ann']), ['w/4'])
      assert.deepEqual(await found(['user:ben', 'group:few']), ['w/5'])
      assert.deepEqual(await found([]), [])
      const keys = ['w/4', 'w/5', 'w/6'].map((id) => search.keyOf(id, 'e1'))
      const read = await search.elements({ keys, tokens: ['user:ann'] }, signal)
      assert.deepEqual(
        [...read].map(([key, { record_id: id }]) => [key, id]),
        [[keys[0], 'w/4']],
      )
    })

  if (has('inspect'))
    test('it returns stored elements, without removed ones', async () => {
      const { destination, item, refresh } = opened()
      const inspect = destination.inspect ?? assert.fail('no inspect')
      const items = ['e1', 'e2'].map((id) => item('w/8', id, ['user:a']))
      const written = ++fence
      await destination.write(items, written, signal)
      await destination.remove([{ recordId: 'w/8', elementIds: ['e2'] }], ++fence, signal)
      await refresh()
      const held = await inspect.stored([{ recordId: 'w/8', elementIds: ['e1', 'e2', 'e3'] }], signal)
      assert.deepEqual(
        held.map(({ elementId }) => elementId),
        ['e1'],
      )
      assert.ok(held[0]?.fence === written || held[0]?.fence === null)
      assert.deepEqual(held[0]?.dataSource, items[0]?.dataSource)
      const all = (await Array.fromAsync(inspect.inventory(signal))).flat()
      const ours = all.filter(({ recordId }) => recordId === 'w/8').map(({ elementId }) => elementId)
      assert.deepEqual(ours, ['e1'])
    })

  if (has('control'))
    test('it keeps a control record per workflow apart from elements', async () => {
      const { destination, refresh } = opened()
      const control = destination.control ?? assert.fail('no control')
      const list = async () => (await Array.fromAsync(destination.inspect?.inventory(signal) ?? [])).flat()
      await refresh()
      const before = (await list()).length
      assert.equal(await control.read('flow', signal), null)
      const first = { epoch: randomUUID(), fence: ++fence }
      const second = { epoch: randomUUID(), fence: ++fence }
      assert.equal(await control.write('flow', second, signal), true)
      assert.equal(await control.write('flow', first, signal), false)
      assert.deepEqual(await control.read('flow', signal), second)
      assert.equal(await control.read('other', signal), null)
      await refresh()
      assert.equal((await list()).length, before)
      await control.remove('flow', ++fence, signal)
      assert.equal(await control.read('flow', signal), null)
    })
}
