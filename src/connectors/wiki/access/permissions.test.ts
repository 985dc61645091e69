import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Directory } from '../../../permissions/algebra.ts'
import { anyOf, LICENSED, UNQUALIFIED_NAMING } from '../../../permissions/principals.ts'
import {
  accessOf,
  type Grant,
  grantNoOne,
  neededFor,
  type PageRules,
  permissionsFor,
  spacePermissions,
} from './permissions.ts'

const directory: Directory = {
  members: (group) => ({ g1: new Set(['u1', 'u2']), g2: new Set(['u2', 'u3']) })[group],
  naming: UNQUALIFIED_NAMING,
  inClass: (user, name) => (name === LICENSED ? !user.startsWith('app') : undefined),
  isIgnored: () => false,
}

function grant(kind: 'user' | 'group' | 'class', id: string, operation: string): Grant {
  return { to: { kind, id }, operation }
}

describe('accessOf', () => {
  test('space only: all readers of the space may read', () => {
    const space = spacePermissions([grant('group', 'g1', 'read/space')])
    const rules: PageRules = { space, restrictions: [], update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read, { users: [], groups: ['g1'] })
  })

  test('own restriction: only the people it names may read', () => {
    const space = spacePermissions([grant('group', 'g1', 'read/space')])
    const restrictions = [{ users: new Set(['u1']), groups: new Set<string>(), classes: new Set<string>() }]
    const rules: PageRules = { space, restrictions, update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read, { users: ['u1'], groups: [] })
  })

  test('ancestor only: a restricted ancestor still limits the page', () => {
    const space = spacePermissions([grant('class', 'all-licensed-users', 'read/space')])
    const restrictions = [{ users: new Set<string>(), groups: new Set(['g2']), classes: new Set<string>() }]
    const rules: PageRules = { space, restrictions, update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read.groups, ['g2'])
  })

  test("own inside an ancestor's group: the two limit together", () => {
    const space = spacePermissions([grant('group', 'g1', 'read/space')])
    const own = { users: new Set<string>(), groups: new Set(['g1']), classes: new Set<string>() }
    const anc = { users: new Set<string>(), groups: new Set(['g2']), classes: new Set<string>() }
    const rules: PageRules = { space, restrictions: [anc, own], update: null, creator: null }
    const access = accessOf(rules, directory)
    // Only u2 is in both g1 and g2.
    assert.deepEqual(access.permissions[0].read, { users: ['u2'], groups: [] })
  })

  test('both restricted differently: the intersection, person by person', () => {
    const space = spacePermissions([grant('class', 'all-licensed-users', 'read/space')])
    const own = { users: new Set(['u1', 'u3']), groups: new Set<string>(), classes: new Set<string>() }
    const anc = { users: new Set(['u3']), groups: new Set<string>(), classes: new Set<string>() }
    const rules: PageRules = { space, restrictions: [anc, own], update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read, { users: ['u3'], groups: [] })
  })

  test('blog posts: update and delete follow their own permissions', () => {
    const space = spacePermissions([
      grant('group', 'g1', 'read/space'),
      grant('group', 'g1', 'create/page'),
      grant('group', 'g1', 'delete/page'),
      grant('user', 'u1', 'create/blogpost'),
      grant('user', 'u2', 'create/blogpost'),
      grant('user', 'u2', 'delete/blogpost'),
    ])
    const writers = (kind: 'page' | 'blogpost') => {
      const rules = { space: permissionsFor(space, kind), restrictions: [], update: null, creator: null }
      const [, { update }, { delete: remove }] = accessOf(rules, directory).permissions
      return [update, remove]
    }
    const g1 = { users: [], groups: ['g1'] }
    assert.deepEqual(writers('page'), [g1, g1])
    assert.deepEqual(writers('blogpost'), [
      { users: ['u1', 'u2'], groups: [] },
      { users: ['u2'], groups: [] },
    ])
  })

  test('app account only: never licensed, named directly or not', () => {
    const space = spacePermissions([
      grant('class', 'all-licensed-users', 'read/space'),
      grant('user', 'app1', 'read/space'),
    ])
    const restrictions = [{ users: new Set(['app1']), groups: new Set<string>(), classes: new Set<string>() }]
    const rules: PageRules = { space, restrictions, update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read, { users: ['app1'], groups: [] })
  })

  test('a class that may edit does not widen what a group may read', () => {
    const space = spacePermissions([
      grant('group', 'g1', 'read/space'),
      grant('class', 'all-licensed-users', 'create/page'),
    ])
    const access = accessOf({ space, restrictions: [], update: null, creator: null }, directory)
    assert.deepEqual(access.permissions[1].update, { users: [], groups: ['g1'] })
    assert.deepEqual(access.permissions[2].delete, { users: [], groups: [] })
  })

  test('administering a space includes reading and editing, but lifts no restriction', () => {
    const space = spacePermissions([
      grant('user', 'u1', 'administer/space'),
      grant('user', 'u3', 'read/space'),
    ])
    const own = { users: new Set(['u3']), groups: new Set<string>(), classes: new Set<string>() }
    const open = accessOf({ space, restrictions: [], update: null, creator: null }, directory)
    assert.deepEqual(open.permissions[0].read.users, ['u1', 'u3'])
    assert.deepEqual(open.permissions[1].update.users, ['u1'])
    const shut = accessOf({ space, restrictions: [own], update: null, creator: null }, directory)
    assert.deepEqual(shut.permissions[0].read.users, ['u3'])
    assert.deepEqual(shut.permissions[1].update.users, [])
  })

  test('creating permits no update if only an unknown class may update', () => {
    const space = spacePermissions([
      grant('user', 'u1', 'create/page'),
      grant('class', 'every-passer-by', 'update/page'),
    ])
    assert.deepEqual([...space.edit.users], [])
  })

  test('an unproved grant is left out and reported', () => {
    const space = spacePermissions([
      grant('group', 'g1', 'read/space'),
      { ...grant('class', 'anonymous-users', 'read/space'), unproved: 'no answer' },
    ])
    const access = accessOf({ space, restrictions: [], update: null, creator: null }, directory)
    assert.deepEqual(access.permissions[0].read, { users: [], groups: ['g1'] })
    assert.equal(access.unproved, 'no answer')
  })

  test('a space without readers grants no one, and that is proved', () => {
    const space = spacePermissions([grant('user', 'u1', 'create/page')])
    const rules: PageRules = { space, restrictions: [], update: null, creator: null }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
  })

  test('delete own: a creator who may read and edit may delete without delete/page', () => {
    const space = spacePermissions([
      grant('class', 'all-licensed-users', 'read/space'),
      grant('class', 'all-licensed-users', 'create/page'),
      grant('class', 'all-licensed-users', 'delete/space'),
    ])
    const rules: PageRules = { space, restrictions: [], update: null, creator: 'u1' }
    const access = accessOf(rules, directory)
    assert.deepEqual(access.permissions[2].delete, { users: ['u1'], groups: [] })
  })

  test('delete own is for creators with that permission, not for others, apps or unproved accounts', () => {
    const editGrants = [
      grant('user', 'app1', 'read/space'),
      grant('user', 'app1', 'create/page'),
      grant('class', 'all-licensed-users', 'read/space'),
      grant('class', 'all-licensed-users', 'create/page'),
    ]
    const deleters = (right: Grant[], creator: string, known: Directory = directory) => {
      const space = spacePermissions([...editGrants, ...right])
      return accessOf({ space, restrictions: [], update: null, creator }, known)
    }
    const nobodyAtAll = { users: [], groups: [] }
    assert.deepEqual(deleters([], 'u1').permissions[2].delete, nobodyAtAll)
    const ofGroup = [grant('group', 'g1', 'delete/space')]
    assert.deepEqual(deleters(ofGroup, 'u1').permissions[2].delete, { users: ['u1'], groups: [] })
    assert.deepEqual(deleters(ofGroup, 'u3').permissions[2].delete, nobodyAtAll)
    const ofClass = [grant('class', 'all-licensed-users', 'delete/space')]
    assert.deepEqual(deleters(ofClass, 'app1').permissions[2].delete, nobodyAtAll)
    const blind = deleters(ofGroup, 'u1', { ...directory, members: () => undefined })
    assert.deepEqual(blind.permissions[2].delete, nobodyAtAll)
    assert.ok(blind.unproved)
  })

  test('a single group stays a group and is exact, whether or not its members can be read', () => {
    const space = spacePermissions([grant('group', 'unheard', 'read/space')])
    const rules: PageRules = { space, restrictions: [], update: null, creator: null }
    const access = accessOf(rules, { ...directory, members: () => undefined })
    assert.deepEqual(access.permissions[0].read, { users: [], groups: ['unheard'] })
    assert.equal(access.unproved, undefined)
  })

  test('two unreadable groups that must both match are reported as unproved', () => {
    const space = spacePermissions([grant('group', 'a', 'read/space')])
    const restrictions = [{ users: new Set<string>(), groups: new Set(['b']), classes: new Set<string>() }]
    const rules: PageRules = { space, restrictions, update: null, creator: null }
    const access = accessOf(rules, { ...directory, members: () => undefined })
    assert.ok(access.unproved)
  })

  test('access for no one carries its reason', () => {
    const access = grantNoOne('why not')
    assert.equal(access.unproved, 'why not')
    assert.deepEqual(access.permissions[0].read, { users: [], groups: [] })
  })
})

describe('the super-group of a deployment', () => {
  const supers = 'confluence-administrators'
  const known: Directory = {
    ...directory,
    members: (group) => (group === supers ? new Set(['boss', 'u1']) : directory.members(group)),
  }
  const level = (users: string[], groups: string[] = []) => anyOf(users, groups)

  test('is in every read list and every clause, despite restrictions', () => {
    const space = spacePermissions([grant('group', 'g1', 'read/space')], supers)
    const rules: PageRules = {
      space,
      restrictions: [level(['u1']), level([], ['g2'])],
      update: null,
      creator: null,
    }
    const access = accessOf(rules, known)
    assert.deepEqual(access.permissions[0].read, { users: [], groups: [supers] })
    assert.deepEqual(access.clauses, {
      c0: [`group:${supers}`, 'group:g1'],
      c1: [`group:${supers}`, 'user:u1'],
      c2: [`group:${supers}`, 'group:g2'],
    })
    assert.equal(access.unproved, undefined)
  })

  test('is added to the readers without its members being loaded', () => {
    const space = spacePermissions([grant('group', 'g1', 'read/space')], supers)
    const rules: PageRules = { space, restrictions: [level(['u1', 'u3'])], update: null, creator: null }
    assert.ok(!neededFor(rules).groups.has(supers))
    const unknown = {
      ...known,
      members: (group: string) => (group === supers ? undefined : known.members(group)),
    }
    const access = accessOf(rules, unknown)
    assert.deepEqual(access.permissions[0].read, { users: ['u1'], groups: [supers] })
    assert.equal(access.unproved, undefined)
  })

  test('is added to anonymous readers and to the eighth clause', () => {
    const open = spacePermissions([grant('class', 'anonymous-users', 'read/space')], supers)
    const plain = accessOf({ space: open, restrictions: [], update: null, creator: null }, known)
    assert.deepEqual(plain.permissions[0].read, {
      users: [],
      groups: [supers],
      access_classes: ['anonymous-users'],
    })
    const restrictions = Array.from({ length: 10 }, (_, at) => level([`u${at}`, 'u1']))
    const deep = accessOf({ space: open, restrictions, update: null, creator: null }, known)
    assert.deepEqual(deep.clauses.c7, [`group:${supers}`, 'user:u1'])
    assert.equal(Object.keys(deep.clauses).length, 8)
  })

  test('gives no permission to update or delete', () => {
    const all = ['read/space', 'create/page', 'delete/page'].map((right) => grant('group', 'g1', right))
    const space = spacePermissions(all, supers)
    const [, { update }, { delete: remove }] = accessOf(
      { space, restrictions: [level(['u1', 'u2'])], update: level(['u2']), creator: null },
      known,
    ).permissions
    assert.deepEqual(update, { users: ['u2'], groups: [] })
    assert.deepEqual(remove, { users: ['u2'], groups: [] })
  })

  test('gets nothing if the permissions are unknown, and does not exist on Cloud', () => {
    assert.deepEqual(grantNoOne('why').permissions[0].read, { users: [], groups: [] })
    const space = spacePermissions([grant('group', 'g1', 'read/space')])
    const access = accessOf({ space, restrictions: [], update: null, creator: null }, known)
    assert.deepEqual(access.permissions[0].read.groups, ['g1'])
  })
})
