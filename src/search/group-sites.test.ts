import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../errors.ts'
import { siteNaming } from '../permissions/principals.ts'
import { groupsBySite } from './group-sites.ts'

test('it accepts bare and qualified groups with one site', () => {
  assert.deepEqual(
    [...groupsBySite(['devs', 'wiki.example/ops', 'a/b'], ['wiki.example'])],
    [['wiki.example', ['devs', 'ops', 'a/b']]],
  )
  assert.deepEqual([...groupsBySite(['devs'], [])], [['', ['devs']]])
})

test('it requires qualified groups with several sites, and matches the longest site', () => {
  const sites = ['wiki.example', 'wiki.example/hr']
  assert.deepEqual(
    [...groupsBySite(['wiki.example/devs', 'wiki.example/hr/devs'], sites)],
    [
      ['wiki.example', ['devs']],
      ['wiki.example/hr', ['devs']],
    ],
  )
  for (const group of ['devs', 'elsewhere.example/devs'])
    assert.throws(
      () => groupsBySite([group], sites),
      (error) =>
        error instanceof AppError &&
        error.code === 'invalid_request' &&
        /wiki\.example, wiki\.example\/hr.*SITE\/NAME/.test(error.message),
    )
})

test('it accepts group names in the form of a token', () => {
  const sites = ['wiki.example', 'wiki.example/hr']
  const names = ['hr/devs', 'a%2Fb', 'x","y', '100% sure']
  const { group } = siteNaming('wiki.example', 'per site')
  assert.deepEqual([...groupsBySite(names.map(group), sites)], [['wiki.example', names]])
  assert.deepEqual([...groupsBySite(['wiki.example/100% sure'], sites)], [['wiki.example', ['100% sure']]])
})
