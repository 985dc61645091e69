import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceConnectors } from '../connectors/registry.ts'
import { canLinkAccounts } from './own-account-in-source.ts'

test('it links accounts only of sources that people sign in to', () => {
  const linkable = serviceConnectors.sources.filter(canLinkAccounts).map(({ type }) => type)
  assert.deepEqual(linkable, ['wiki'])
})
