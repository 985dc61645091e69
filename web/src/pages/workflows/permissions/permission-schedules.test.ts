import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { permissionsMinutes, permissionsPhrase } from '../../../../../src/workflows/schedule.ts'
import { permissionScheduleOf, permissionSchedules } from './permission-schedules.ts'

describe('schedules for permissions', () => {
  test('it spells them as the service does', () => {
    for (const phrase of [...permissionSchedules, 'Every 7 minutes ', 'every 1 minutes'])
      assert.equal(permissionScheduleOf(phrase), permissionsPhrase(permissionsMinutes(phrase)))
  })

  test('it refuses what the service refuses', () => {
    for (const phrase of ['', 'daily', 'every 0 minutes', 'every 1441 minutes', 'every 1.5 minutes']) {
      assert.equal(permissionScheduleOf(phrase), undefined)
      assert.throws(() => permissionsMinutes(phrase))
    }
  })
})
