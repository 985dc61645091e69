import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVault } from '../store/vault.ts'
import { FULL_KEY, newKey } from './keys.ts'

test('it hides limited keys from processes of an earlier release, which know no limits', () => {
  const vault = createVault(Buffer.alloc(32, 1))
  const value = 'mlr_value'
  const lookupOf = (limits: Partial<typeof FULL_KEY>) =>
    newKey(vault, {
      ...{ value, workspaceId: 'w', name: 'n', createdBy: null },
      limits: { ...FULL_KEY, ...limits },
    }).lookup
  assert.equal(lookupOf({}), vault.lookup(value))
  assert.notEqual(lookupOf({ scope: 'search' }), vault.lookup(value))
  assert.notEqual(lookupOf({ expiresAt: new Date() }), vault.lookup(value))
})
