import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scheduleToCron } from '../../../../../src/workflows/schedule.ts'
import { choiceOf, cronOf, localTime, phrases, scheduleFrom, scheduleOf, scheduleText } from './schedules.ts'

describe('schedules', () => {
  test('it uses the phrases of the service', () => {
    for (const phrase of phrases) {
      assert.equal(cronOf(phrase), scheduleToCron(phrase))
      assert.equal(scheduleOf(scheduleToCron(phrase)), phrase)
      assert.equal(scheduleFrom(choiceOf(phrase)), phrase)
    }
  })

  test('it reads times, days and other expressions', () => {
    assert.deepEqual(choiceOf('30 6 * * *'), { mode: 'daily', time: '06:30' })
    assert.deepEqual(choiceOf('5 18 * * 1,3,7'), { mode: 'weekly', time: '18:05', days: [0, 1, 3] })
    assert.deepEqual(choiceOf('0 0 15 * *'), { mode: 'monthly', time: '00:00', day: 15 })
    assert.deepEqual(choiceOf('0 8-18 * * 1-5'), { mode: 'cron', cron: '0 8-18 * * 1-5' })
    assert.deepEqual(choiceOf('0 0 1 * 1'), { mode: 'cron', cron: '0 0 1 * 1' })
    assert.deepEqual(choiceOf(null), { mode: 'never' })
  })

  test('it writes cron, or a phrase that means the same', () => {
    assert.equal(scheduleFrom({ mode: 'daily', time: '06:30' }), '30 6 * * *')
    assert.equal(scheduleFrom({ mode: 'daily', time: '00:00' }), 'daily')
    assert.equal(scheduleFrom({ mode: 'weekly', time: '18:05', days: [1, 5] }), '5 18 * * 1,5')
    assert.equal(scheduleFrom({ mode: 'monthly', time: '07:00', day: 3 }), '0 7 3 * *')
    assert.equal(scheduleFrom({ mode: 'cron', cron: ' 0  8-18 * * 1-5 ' }), '0 8-18 * * 1-5')
    assert.equal(scheduleFrom({ mode: 'cron', cron: '' }), null)
  })

  test('it has words, with the zone of a time of day', () => {
    assert.equal(scheduleText('*/15 * * * *', 'UTC'), 'Every 15 minutes')
    assert.match(scheduleText('0 0 * * 0', 'UTC'), /00:00.*Sunday.*\(UTC\)/)
    assert.match(scheduleText('30 6 * * 1-5', 'Europe/Berlin'), /^At 06:30.*\(Europe\/Berlin\)$/)
    assert.equal(scheduleText('nonsense', 'UTC'), 'nonsense')
  })

  test('it shows local times', () => {
    const next = new Date('2026-03-29T00:00:00.000Z')
    assert.match(localTime(next, 'Asia/Tokyo'), /Sun, Mar 29.*09:00 GMT\+9/)
  })
})
