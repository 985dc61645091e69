import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scheduleToCron } from '../../../../../src/workflows/schedule.ts'
import { cronOf, localTime, nextRun, phraseOf, phrases, scheduleText } from './schedules.ts'

describe('schedules', () => {
  test('match those of the service', () => {
    for (const phrase of phrases) {
      assert.equal(cronOf(phrase), scheduleToCron(phrase))
      assert.equal(phraseOf(scheduleToCron(phrase)), phrase)
    }
  })

  test('have words, with the zone of a time of day', () => {
    assert.equal(scheduleText('*/15 * * * *'), 'Every 15 minutes')
    assert.match(scheduleText('0 0 * * 0'), /00:00.*Sunday.*\(UTC\)/)
    assert.equal(scheduleText('nonsense'), 'nonsense')
  })

  test('run by UTC and show local times', () => {
    const now = new Date('2026-03-28T13:37:00Z')
    const next = nextRun('0 0 * * *', now)
    assert.equal(next?.toISOString(), '2026-03-29T00:00:00.000Z')
    assert.match(localTime(next!, 'Asia/Tokyo'), /Sun.*29 Mar.*09:00 GMT\+9/)
    assert.equal(nextRun('nonsense', now), undefined)
  })
})
