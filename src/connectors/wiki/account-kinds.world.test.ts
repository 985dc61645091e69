import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites } from '../../../test/world/sites.ts'
import { allPeople, wrongReaders, wrongWriters } from '../../../test/world/wiki-readers.ts'
import { listAll } from '../../../test/world/wiki-source.ts'

const wiki = { seed: 23, spaces: 4, pages: 120, people: 12, groups: 5, everyKind: true }

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

  test('gives deactivated and closed accounts nothing, and guests no class', async () => {
    const { people } = await site.control.truth()
    const byId = new Map(people.map((person) => [person.accountId, person]))
    for (const { accountId, account, groups, classes } of await allPeople(site, site.open())) {
      const { active, closed, guest } = byId.get(accountId)!
      if (!active || closed)
        assert.deepEqual({ account, groups, classes }, { account: 'inactive', groups: [], classes: [] })
      else if (guest && site.isCloud) assert.deepEqual(classes, ['anonymous-users'])
      else assert.ok(classes.includes('authenticated-users'), accountId)
    }
  })
})
