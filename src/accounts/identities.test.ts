import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emailIdentity } from './identities.ts'

const normalized = (email: string) => emailIdentity(email).value

test('it ignores case and outer spaces of an address', () => {
  assert.equal(normalized(' Ann@Acme.example\n'), 'ann@acme.example')
  assert.equal(normalized('JÖRG@acme.example'), normalized('jörg@acme.example'))
})

test('it keeps addresses apart that only look alike', () => {
  const kate = normalized('kate@acme.example')
  const others = [
    '\u212Aate@acme.example',
    'k\u0430te@acme.example',
    'kate+x@acme.example',
    'k.ate@acme.example',
  ]
  for (const other of others) assert.notEqual(normalized(other), kate)
  assert.notEqual(normalized('\u0130da@acme.example'), normalized('ida@acme.example'))
})
