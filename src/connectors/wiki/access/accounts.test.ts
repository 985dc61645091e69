import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTHENTICATED, LICENSED } from '../../../permissions/principals.ts'
import { assumeLicence, inClass, membershipOf, mergeAccounts, toAccount, withLicence } from './accounts.ts'

const described = { accountId: 'a1', accountType: 'atlassian', accountStatus: 'active' }
const using = { operations: [{ operation: 'use', targetType: 'application' }] }
const accountOf = (more: object) => toAccount({ ...described, ...using, ...more })[0]!

test('an account is a guest if any answer says so, under either field name', () => {
  const guests = [
    accountOf({ isGuest: true, isExternalCollaborator: false }),
    accountOf({ isGuest: false, isExternalCollaborator: true }),
    mergeAccounts(accountOf({ isGuest: true }), accountOf({ isExternalCollaborator: false })),
    mergeAccounts(accountOf({ isGuest: false }), accountOf({ isExternalCollaborator: true })),
  ]
  for (const account of guests)
    assert.deepEqual([inClass(account, LICENSED), inClass(account, AUTHENTICATED)], [false, false])
})

test('an account counts as no guest only if an answer says that', () => {
  assert.equal(accountOf({}).guest, null)
  assert.equal(accountOf({ isGuest: false }).guest, false)
  assert.equal(mergeAccounts(accountOf({}), accountOf({ isExternalCollaborator: false })).guest, false)
  assert.equal(mergeAccounts(accountOf({ isGuest: false }), accountOf({})).guest, false)
})

test('an unmarked name counts as licensed if the wiki lists no operations', () => {
  const person = { ...described, isGuest: false, displayName: 'Ann Miller' }
  const licenceOf = (more: object) => inClass(assumeLicence(toAccount({ ...person, ...more })[0]!), LICENSED)
  assert.equal(licenceOf({}), true)
  assert.equal(licenceOf({ displayName: 'Ann Miller (Unlicensed)' }), false)
  assert.equal(licenceOf({ operations: [] }), false)
  assert.equal(licenceOf({ accountType: 'app' }), false)
  assert.equal(licenceOf({ accountStatus: 'unknown' }), undefined)
  assert.equal(licenceOf({ displayName: undefined }), undefined)
})

test('an account that one answer marks as unlicensed stays unlicensed', () => {
  const marked = accountOf({ operations: undefined, displayName: 'Ann (Unlicensed)', isGuest: false })
  const plain = assumeLicence(accountOf({ operations: undefined, displayName: 'Ann', isGuest: false }))
  assert.equal(inClass(mergeAccounts(marked, plain), LICENSED), false)
  assert.equal(inClass(mergeAccounts(plain, marked), LICENSED), false)
})

test('an account without access to the product has classes, but neither its name nor its groups', () => {
  const none = { operations: [] }
  const cases: [string, object, string][] = [
    ['licensed', using, 'known'],
    ['no operations', none, 'unlicensed'],
    ['marked in the name', { operations: undefined, displayName: 'Ann (Unlicensed)' }, 'unlicensed'],
    ['unmarked', { operations: undefined, displayName: 'Ann' }, 'known'],
    ['neither name nor operations', { operations: undefined }, 'unknown'],
    ['guest', { ...none, isGuest: true }, 'known'],
    ['app', { accountType: 'app' }, 'known'],
    ['app without operations', { ...none, accountType: 'app' }, 'unlicensed'],
    ['customer', { accountType: 'customer' }, 'unlicensed'],
    ['no status', { accountStatus: undefined }, 'unknown'],
    ['deactivated', { accountStatus: 'inactive' }, 'inactive'],
  ]
  for (const [what, response, expected] of cases) {
    const { account, groups, classes } = membershipOf(accountOf({ isGuest: false, ...response }), ['g1'])
    assert.equal(account, expected, what)
    assert.deepEqual(groups, expected === 'known' ? ['g1'] : [], what)
    assert.equal(classes.includes(LICENSED), what === 'licensed', what)
    assert.equal(
      classes.includes(AUTHENTICATED),
      expected !== 'unknown' && expected !== 'inactive' && what !== 'guest',
      what,
    )
  }
  assert.equal(membershipOf(null, ['g1']).account, 'unknown')
})

test('the groups or the name of an account give it a licence where accounts do not tell', () => {
  const [account] = toAccount({ ...described, displayName: 'Ann', isGuest: false })
  const access = { users: new Set(['a1']), groups: new Set(['users']) }
  const byGroup = { ...access, users: new Set<string>() }
  assert.equal(withLicence(account!, access, []).licensed, true)
  assert.equal(withLicence(account!, byGroup, ['users', 'x']).licensed, true)
  assert.equal(withLicence(account!, byGroup, ['x']).licensed, false)
  assert.equal(withLicence(account!, null, ['x']).licensed, null)
})
