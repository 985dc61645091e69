import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { minutesBetween, nextRuns, parseCron } from './cron.ts'
import { zoneName } from './zone.ts'

const runs = (cron: string, zone: string, after: string, count = 3) =>
  nextRuns(cron, zone, { after: new Date(after), count }).map((run) => run.toISOString().slice(0, 16))

describe('cron expressions', () => {
  test('it accepts five fields and nothing else', () => {
    for (const cron of ['30 6 * * *', '*/15 * * * *', '0 0 1,15 jan-mar MON', ' 0  0 * * 7 ', '0 0 29 2 *'])
      assert.ok(parseCron(cron), cron)
    const wrong = ['', 'daily', '@daily', '* * * *', '* * * * * *', '61 * * * *', '0 0 31 2 *', '0 0 L * *']
    for (const cron of [...wrong, '0 0 * * 5#2', '0 0 ? * *', 'H * * * *', '0 0 * monday *', '5-1 * * * *'])
      assert.equal(parseCron(cron), null, cron)
    assert.equal(parseCron(' 0  0 * * 7 '), '0 0 * * 7')
  })

  test('it runs at the local time of the zone', () => {
    assert.deepEqual(runs('30 6 * * 1-5', 'Europe/Berlin', '2026-07-03T12:00:00Z'), [
      '2026-07-06T04:30',
      '2026-07-07T04:30',
      '2026-07-08T04:30',
    ])
    assert.deepEqual(runs('0 9 1 * *', 'America/New_York', '2026-12-15T00:00:00Z', 2), [
      '2027-01-01T14:00',
      '2027-02-01T14:00',
    ])
  })

  test('it runs once on days when the clock changes', () => {
    // 02:30 does not exist on 29 March and exists twice on 25 October.
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2), [
      '2026-03-29T01:30',
      '2026-03-30T00:30',
    ])
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2), [
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2026-10-25T00:30:01Z', 1), ['2026-10-26T01:30'])
    assert.deepEqual(runs('30 2 * * *', 'Europe/Berlin', '2026-03-29T01:30:01Z', 1), ['2026-03-30T00:30'])
  })

  test('it keeps its pace within the hour when the clock changes', () => {
    assert.deepEqual(runs('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:10:00Z', 4), [
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ])
    assert.deepEqual(runs('0 * * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', 2), [
      '2026-03-29T01:00',
      '2026-03-29T02:00',
    ])
  })

  test('it knows the shortest and the longest time between runs', () => {
    const between = (cron: string, zone = 'UTC') => Object.values(minutesBetween(cron, zone))
    assert.deepEqual(between('*/15 * * * *'), [15, 15])
    assert.deepEqual(between('*/7 * * * *'), [4, 7])
    assert.deepEqual(between('0 0 * * *'), [1440, 1440])
    assert.deepEqual(between('0 0 * * *', 'Europe/Berlin'), [1440, 1500])
    assert.deepEqual(between('0 * * * *', 'Europe/Berlin'), [60, 60])
    assert.deepEqual(between('0 8,18 * * 1-5'), [600, 3720])
    assert.deepEqual(between('0 0 1 * *'), [28 * 1440, 31 * 1440])
    assert.deepEqual(between('0 0 29 2 *'), [1461 * 1440, 2921 * 1440])
    assert.deepEqual(between('0 0 * 9 2'), [7 * 1440, 343 * 1440])
  })

  test('it never waits longer or shorter than it says', () => {
    const list = (max: number, min = 0) =>
      fc
        .oneof(fc.constant('*'), fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }))
        .map((value) => (value === '*' ? '*' : (value as number[]).toSorted((a, b) => a - b).join()))
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Australia/Lord_Howe')
    fc.assert(
      fc.property(fc.tuple(list(59), list(23), list(28, 1), list(12, 1), list(6)), zones, (fields, zone) => {
        const cron = fields.join(' ')
        const { shortest, longest } = minutesBetween(cron, zone)
        const times = nextRuns(cron, zone, { after: new Date('2026-10-01T00:00:00Z'), count: 40 })
        for (const [index, time] of times.slice(1).entries()) {
          const minutes = (time.getTime() - times[index]!.getTime()) / 60_000
          assert.ok(minutes <= longest, `${cron} ${zone}: ${minutes} > ${longest}`)
          if (zone === 'UTC') assert.ok(minutes >= shortest, `${cron}: ${minutes} < ${shortest}`)
        }
      }),
      { numRuns: 150 },
    )
  })
})

test('it accepts names of zones, not offsets', () => {
  assert.equal(zoneName('europe/berlin'), 'Europe/Berlin')
  assert.equal(zoneName('UTC'), 'UTC')
  for (const wrong of ['', '+02:00', 'Mars/Base', 'Europe', '../etc'])
    assert.equal(zoneName(wrong), null, wrong)
})

test('it runs in UTC if another process stored a zone that is unknown here', () => {
  const [next] = nextRuns('30 6 * * *', 'Mars/Base', { after: new Date('2026-10-01T00:00:00Z'), count: 1 })
  assert.equal(next?.toISOString(), '2026-10-01T06:30:00.000Z')
  assert.deepEqual(minutesBetween('0 0 * * *', 'Mars/Base'), { shortest: 1440, longest: 1440 })
})
