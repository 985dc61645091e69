import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessOf, type Grant, spacePermissions } from '../../src/connectors/wiki/access/permissions.ts'
import type { Directory } from '../../src/permissions/algebra.ts'
import { type AnyOf, anyOf, UNQUALIFIED_NAMING } from '../../src/permissions/principals.ts'

/** An unproved permission is reported even if no request names it. */
const LICENSED = 'all-licensed-users'
const ADMINS = 'all-product-admins'

function toClass(name: string, ...operations: string[]): Grant[] {
  return operations.map((operation) => ({ to: { kind: 'class', id: name }, operation }))
}

function access(grants: Grant[], page: { above?: AnyOf[]; creator?: string }, directory: Directory) {
  const { above = [], creator = null } = page
  return accessOf({ space: spacePermissions(grants), restrictions: above, update: null, creator }, directory)
}

const blind: Directory = {
  naming: UNQUALIFIED_NAMING,
  members: () => undefined,
  inClass: () => undefined,
  isIgnored: () => false,
}

test('it reports a group member of unknown kind as unproved', () => {
  const directory = { ...blind, members: () => new Set(['ann']) }
  const { permissions, unproved } = access(
    toClass(LICENSED, 'read/space'),
    { above: [anyOf([], ['team'])] },
    directory,
  )
  assert.deepEqual(permissions[0].read, { users: [], groups: [] })
  assert.match(unproved ?? 'no reason was given', /ann/)
})

test('it reports a creator of unknown kind as unproved', () => {
  const grants = [
    ...toClass('anonymous-users', 'read/space', 'create/page'),
    ...toClass(LICENSED, 'delete/space'),
  ]
  const { permissions, unproved } = access(grants, { creator: 'ann' }, blind)
  assert.deepEqual(permissions[2].delete, { users: [], groups: [] })
  assert.match(unproved ?? 'no reason was given', /ann/)
})

test('it reports a creator with unknown class membership as unproved', () => {
  const grants = [...toClass(LICENSED, 'read/space', 'create/page'), ...toClass(ADMINS, 'delete/space')]
  const { permissions, unproved } = access(
    grants,
    { creator: 'ann' },
    {
      ...blind,
      inClass: (_, name) => (name === LICENSED ? true : undefined),
    },
  )
  assert.deepEqual(permissions[2].delete, { users: [], groups: [] })
  assert.match(unproved ?? 'no reason was given', new RegExp(ADMINS))
})
