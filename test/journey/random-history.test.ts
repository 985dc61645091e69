import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement } from '../world/agreement.ts'
import { finish, makeFlow, run, startRun } from '../world/flow.ts'
import { openWorld, type World } from '../world/world.ts'
import { EVERYBODY, onlyFor } from '../world/zoo.ts'

/** Whatever is edited and whatever dies in between: after the next undisturbed run index and wiki agree. */

const ROUNDS = 3

for (const [seed, workers] of [
  [3, 0],
  [11, 2],
] as const) {
  test(`random edits, kills, cancels and a lagging search, with ${workers || 'no'} workers apart (seed ${seed})`, async () => {
    const wiki = { seed, pages: 120, spaces: 4, people: 10, groups: 5, latencyMs: 60 }
    const world = await openWorld({ wiki, role: workers ? 'api' : 'all' })
    const random = randomOf(seed)
    const history: string[] = []
    try {
      let hands = await Promise.all(Array.from({ length: workers }, () => world.start('worker')))
      const flow = await makeFlow(world)
      for (let round = 0; round < ROUNDS; round++) {
        history.push(...(await edit(world, random, 12)))
        const isLagging = random() < 0.4
        if (isLagging) await world.wiki.control.holdSearch()
        history.push(...(await edit(world, random, 5)))
        const job = await startRun(world, flow)
        await sleep(random() * 2500)
        const disturbance = (['SIGKILL', 'SIGINT', 'cancel'] as const)[(round + seed) % 3]
        history.push(`round ${round}: ${disturbance}`)
        if (disturbance === 'cancel') await world.api.post(`/jobs/${job}/cancel`)
        else if (hands[0] && disturbance) {
          await hands[0].end(disturbance)
          await edit(world, random, 5)
          hands = [...hands.slice(1), await world.start('worker')]
        } else if (disturbance) {
          await world.millrace.end(disturbance)
          await edit(world, random, 5)
          await world.restart()
        }
        await finish(world, job)
        if (isLagging) await world.wiki.control.releaseSearch()
        const { details } = await run(world, flow)
        assert.equal(
          details.processing_status,
          'SUCCESS',
          `${history.join('\n')}\n${JSON.stringify(details)}`,
        )
        await assertAgreement(world)
      }
      const idle = await run(world, flow)
      assert.equal(idle.details.counts.unchanged, idle.details.counts.discovered)
    } finally {
      await world.close()
    }
  })
}

async function edit(world: World, random: () => number, times: number): Promise<string[]> {
  const { control } = world.wiki
  const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T
  const done: string[] = []
  for (let count = 0; count < times; count++) {
    const truth = await control.truth()
    const spaces = truth.spaces.filter((space) => space.status === 'current')
    const keys = new Set(spaces.map((space) => space.key))
    const pages = truth.pages.filter(
      (page) => page.kind === 'page' && page.status === 'current' && keys.has(page.spaceKey),
    )
    const people = truth.people.filter((person) => person.accountType === 'atlassian' && person.active)
    const person = () => pick(people).accountId
    const group = pick(truth.groups.filter((each) => !each.deleted))
    const page = pick(pages)
    const isBelow = (id: string | null): boolean =>
      id !== null && (id === page.id || isBelow(truth.pages.find((each) => each.id === id)?.parentId ?? null))
    const edits: Record<string, () => Promise<unknown>> = {
      edit: () =>
        control.editPage(page.id, {
          view: `<h2>T</h2><p>${random()}</p><p>${'word '.repeat(random() * 500)}</p>`,
        }),
      restrictToPeople: () => control.restrict(page.id, { read: { users: [person(), person()] } }),
      restrictToGroup: () => control.restrict(page.id, { read: { groups: [group.id] } }),
      open: () => control.restrict(page.id, { read: {} }),
      move: async () => {
        const parent = pick(pages)
        if (page.parentId !== null && !isBelow(parent.id)) await control.movePage(page.id, parent.id)
      },
      trash: async () => {
        if (page.parentId !== null && random() < 0.5) await control.trashPage(page.id)
      },
      create: () => control.createPage({ space: pick(spaces).key, title: `New ${random()}` }),
      join: () => control.addMember(group.name, person()),
      leave: async () => {
        if (group.members.length > 1) await control.removeMember(group.name, pick(group.members))
      },
      space: async () => {
        if (random() < 0.3)
          await control.setSpacePermissions(pick(spaces).key, random() < 0.5 ? EVERYBODY : onlyFor(person()))
      },
      label: () => control.labelPage(page.id, [`l${Math.floor(random() * 5)}`]),
    }
    const what = pick(Object.keys(edits))
    await edits[what]?.()
    done.push(`${what} ${page.id}`)
  }
  return done
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
