import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertAgreement } from './agreement.ts'
import { type Flow, finish, makeFlow, run, startRun } from './flow.ts'
import { editAtRandom, randomOf } from './random-edits.ts'
import { SearchChecker } from './search-checker.ts'
import type { Millrace } from './service.ts'
import { passHeartbeat } from './silent-process.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type KillsOptions = {
  seed: number
  kills: number
  workers: number
  pages?: number
  destination?: WorldOptions['destination']
}
export type KillsResult = {
  seed: number
  workers: number
  kills: { run: number; target: string; after_ms: number }[]
  runs: number
  searches: number
  hits: number
  seconds: number
}

/**
 * Kills processes at random moments of content jobs and permission passes, with edits between the jobs. Right when a job
 * says that it ended, the destination equals the wiki; searches in between show nothing that was revoked.
 */
export async function killAtRandom({
  seed,
  kills: wanted,
  workers,
  pages = 24,
  destination = 'searchindex',
}: KillsOptions): Promise<KillsResult> {
  const began = Date.now()
  const random = randomOf(seed)
  const wiki = { seed, pages, spaces: 3, people: 8, groups: 4, latencyMs: 15 }
  const world = await openWorld({ wiki, destination, role: workers ? 'api' : 'all' })
  const history = [`seed ${seed}`]
  const kills: KillsResult['kills'] = []
  const processes = new Processes(world)
  try {
    for (let worker = 0; worker < workers; worker++) await processes.startWorker()
    const flow = await makeFlow(world)
    const checker = new SearchChecker(world, [{ flow, wiki: world.wiki }], randomOf(seed + 1))
    const after = () => checker.follow()
    await checker.follow()
    checker.start()
    let runs = 0
    try {
      for (; kills.length < wanted; runs++) {
        if (runs > 0) history.push(...(await editAtRandom(world, { random, times: 6, after })))
        const isPass = runs > 0 && random() < 0.25
        const jobId = await (isPass ? startPass : startRun)(world, flow)
        history.push(`run ${runs}: ${isPass ? 'pass' : 'job'} ${jobId}`)
        const count = Math.min(wanted - kills.length, 1 + Math.floor(random() * 3))
        for (let kill = 0; kill < count; kill++) {
          const afterMs = Math.round(random() ** 2 * 2500)
          await sleep(afterMs)
          const target = await processes.kill(random)
          history.push(`killed ${target} after ${afterMs} ms`)
          kills.push({ run: runs, target, after_ms: afterMs })
        }
        const { details } = await finish(world, jobId, 300)
        assert.equal(details.processing_status, 'SUCCESS', JSON.stringify(details))
        await checker.searchAsAll()
        // A pass adds and removes no pages.
        if (!isPass) await assertAgreement(world)
        assert.deepEqual(checker.violations, [])
      }
      await run(world, flow)
      const { counts } = (await run(world, flow)).details
      assert.equal(counts.unchanged, counts.discovered, JSON.stringify(counts))
      await assertAgreement(world)
    } finally {
      await checker.stop()
    }
    assert.deepEqual(checker.violations, [])
    const { searches, hits } = checker
    return { seed, workers, kills, runs, searches, hits, seconds: Math.round((Date.now() - began) / 1000) }
  } catch (error) {
    throw new Error(history.join('\n'), { cause: error })
  } finally {
    await world.close()
  }
}

/** Waits for a scheduled pass first: a workflow has one pass at a time. */
async function startPass(world: World, flow: Flow): Promise<string> {
  const path = `/workflows/${flow.workflowId}/sync-permissions`
  for (;;) {
    const { status, body, text } = await world.api.post<{ id: string; detail: string }>(path)
    if (status === 202) return body.id
    assert.equal(status, 409, text)
    const [active] = /[0-9a-f-]{36}/.exec(body.detail) ?? []
    assert.ok(active, text)
    await finish(world, active, 300)
  }
}

class Processes {
  readonly #world: World
  readonly #workers: Millrace[] = []

  constructor(world: World) {
    this.#world = world
  }

  async startWorker(): Promise<void> {
    this.#workers.push(await this.#world.start('worker'))
  }

  /** Kills a worker or the service and starts another. Returns what was killed. */
  async kill(random: () => number): Promise<string> {
    const at = Math.floor(random() * (this.#workers.length + 1))
    const [worker] = this.#workers.splice(at, 1)
    if (worker) {
      await worker.end('SIGKILL')
      await passHeartbeat(this.#world.databaseUrl)
      await this.startWorker()
      return 'worker'
    }
    await this.#world.kill()
    await this.#world.restart()
    return 'service'
  }
}
