import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites } from '../../../test/world/sites.ts'
import { allPeople, wrongReaders, wrongWriters } from '../../../test/world/wiki-readers.ts'
import { listAll } from '../../../test/world/wiki-source.ts'

const shape = { seed: 23, spaces: 4, pages: 120, people: 12, groups: 5, everyKind: true }
// Earlier versions of Data Center do not tell who may use the product.
const wiki = { ...shape, settings: { dcVersion: '9.3.0' } }

onBothSites('a wiki with accounts of every kind', { wiki }, (site) => {
  const modes = site.isCloud ? ['PRE_ROLES', 'ROLES_TRANSITION', 'ROLES'] : ['Data Center']
  for (const mode of modes)
    test(`grants read, update and delete to exactly the people the wiki allows (${mode})`, async () => {
      if (site.isCloud) await site.control.set({ roleMode: mode as 'ROLES' })
      const source = site.open()
      const { refs } = await listAll(source)
      const proved = refs.filter(({ access }) => !access.unproved)
      assert.ok(proved.length > refs.length * 0.9, `${proved.length} of ${refs.length} proved`)
      assert.deepEqual((await wrongReaders(site, source, proved)).slice(0, 10), [])
      assert.deepEqual((await wrongWriters(site, source, proved.slice(0, 40))).slice(0, 10), [])
      // Below a folder not all people of a class can be checked, so too few are granted, never too many.
      const tooMany = (await wrongReaders(site, source, refs)).filter((line) => line.includes(' false: '))
      assert.deepEqual(tooMany, [])
    })

  test('gives deactivated and closed accounts nothing, guests no class, and unlicensed ones no group', async () => {
    const { people } = await site.control.truth()
    const byId = new Map(people.map((person) => [person.accountId, person]))
    const seen = new Set<string>()
    for (const { accountId, account, groups, classes } of await allPeople(site, site.open())) {
      const { active, closed, guest, licensed } = byId.get(accountId)!
      seen.add(account)
      if (!active || closed)
        assert.deepEqual({ account, groups, classes }, { account: 'inactive', groups: [], classes: [] })
      else if (!licensed)
        assert.deepEqual(
          { account, groups, classes },
          { account: 'unlicensed', groups: [], classes: ['anonymous-users', 'authenticated-users'] },
        )
      else if (guest && site.isCloud) assert.deepEqual(classes, ['anonymous-users'])
      else assert.ok(classes.includes('authenticated-users'), accountId)
    }
    assert.deepEqual([...seen].sort(), ['inactive', 'known', 'unlicensed'])
  })

  test('lists no one without the product as a member of a group', async () => {
    const { people } = await site.control.truth()
    const without = people.filter(({ active, licensed }) => active && !licensed).map(site.deployment.idOf)
    const { refs } = await listAll(site.open())
    const unnamed = refs.flatMap(({ recordId, access }) => {
      const lists = Object.values(access.clauses).filter((list) => !list.includes('class:anonymous-users'))
      const { users } = access.permissions[0].read
      return users
        .filter((user) => !lists.every((list) => list.includes(`user:${user}`)))
        .map((user) => ({ recordId, user }))
    })
    assert.ok(unnamed.length > 20, `${unnamed.length} people`)
    assert.deepEqual(
      unnamed.filter(({ user }) => without.includes(user)),
      [],
    )
  })
})
