import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { LESS_MEMORY } from '../../src/node-options.ts'
import { WITH_FAST_EMBEDDING } from '../../test/world/fast-embedding.ts'
import { firstAdministrator } from '../../test/world/person.ts'
import { type Millrace, startMillrace, TEST_KEY } from '../../test/world/service.ts'
import { startWiki } from '../../test/world/wiki/start.ts'
import { processTree } from '../process-tree.ts'
import { machine, saveResult } from '../results.ts'
import { type Attack, openAttacker } from './attacker.ts'
import { generatedAttacks, type OpenApi } from './generated-attacks.ts'
import { KNOWN_ATTACKS } from './known-attacks.ts'
import { ACTIONS, openVictim, type Times } from './victim.ts'

/**
 * `npm run bench:attacks`: one workspace attacks a service with default limits, another goes on with its work. Reports
 * the times of the second against its times alone, and the largest process.
 */
const { values } = parseArgs({
  options: {
    /** A part of the name of an attack. */
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '10' },
    keep: { type: 'boolean', default: false },
    /** Without those generated from the API. */
    known: { type: 'boolean', default: false },
  },
})
const MAX_RATIO = 3
const MAX_MB = 600
/** Ratios of shorter times are noise. */
const SHORT_MS = 100

const wiki = await startWiki({ seed: 5, pages: 40, spaces: 2, people: 6, groups: 2 })
const host = new URL(wiki.siteUrl).host
const millrace = await startMillrace({
  allowedHosts: [host, new URL(wiki.mediaUrl).host],
  flags: LESS_MEMORY,
  env: { ...WITH_FAST_EMBEDDING, MILLRACE_RATE_LIMIT: '600', MILLRACE_WORKSPACE_RATE_LIMIT: '6000' },
})
try {
  const url = millrace.url ?? ''
  const key = await otherKey(millrace)
  const attacker = await openAttacker({ url, key, wiki })
  const victim = await openVictim(url, TEST_KEY)
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  const all = [...KNOWN_ATTACKS, ...(values.known ? [] : generatedAttacks(document))]
  const attacks = all.filter(({ name }) => name.includes(values.only))

  // Readers and the model start with their first use.
  await live(async () => {})
  const alone = await live(async () => {})
  console.log(`alone: ${JSON.stringify(alone.times)} ${alone.megabytes} MB`)
  const results = []
  for (const attack of attacks) {
    const { times, megabytes } = await live(() => attack.run(attacker))
    const isAlive = millrace.process.exitCode === null && millrace.process.signalCode === null
    const slow = ACTIONS.filter((name) => {
      const [before, now] = [alone.times[name].p99, times[name].p99]
      return now > SHORT_MS && now > before * MAX_RATIO
    })
    const isFine = isAlive && slow.length === 0 && megabytes <= MAX_MB
    const answers = attacker.answers()
    results.push({ name: attack.name, is_fine: isFine, times, megabytes, slow, answers })
    const shown = slow.map((name) => `${name} ${times[name].p99} ms`).join(', ')
    console.log(
      `${isFine ? 'fine' : 'HARM'} ${attack.name}: ${megabytes} MB ${shown} ${JSON.stringify(answers)}`,
    )
    if (!isAlive) break
    await wiki.control.clearFaults()
    await attacker.cancelAll()
    await sleep(1000)
  }
  const harmful = results.filter(({ is_fine }) => !is_fine).map(({ name }) => name)
  console.log(
    `${results.length} attacks, ${harmful.length} with harm${harmful.map((name) => `\n  ${name}`).join('')}`,
  )
  if (!values.keep && !values.only && !values.known)
    await saveResult('attacks.jsonl', {
      ...{ date: new Date().toISOString(), machine: machine(), alone: alone.times, harmful },
      largest_mb: Math.max(...results.map(({ megabytes }) => megabytes)),
      known: results.filter(({ name }) => KNOWN_ATTACKS.some((attack) => attack.name === name)),
    })

  async function live(attack: Attack['run'] | (() => Promise<void>)) {
    const memory = watchLargest(millrace.process.pid ?? 0)
    const life = victim.live()
    const limit = Number(values.seconds) * 1000
    // An attack that is refused at once is no reason to measure less.
    const attacking = attack(attacker).catch((error) => console.log(`  the attack failed: ${error}`))
    await Promise.race([attacking, sleep(limit * 4)])
    await sleep(limit)
    const times = await life.end()
    return { times: percentiles(times), megabytes: memory.stop() }
  }
} finally {
  await millrace.end('SIGTERM')
  await wiki.stop()
}
process.exit()

async function otherKey(service: Millrace): Promise<string> {
  const { ada } = await firstAdministrator(service)
  const made = await ada.post<{ id: string }>('/workspaces', { name: 'Attacker' })
  if (made.status !== 201) throw new Error(`creating a workspace: ${made.text}`)
  ada.workspace = made.body.id
  const { body, text } = await ada.post<{ key: string }>('/keys', { name: 'attack' })
  if (!body.key) throw new Error(`creating a key: ${text}`)
  return body.key
}

function percentiles(times: Times): Record<keyof Times, { p50: number; p99: number }> {
  const at = (list: number[], share: number) =>
    Math.round(
      list.toSorted((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))] ?? 0,
    )
  const entries = ACTIONS.map((name) => [name, { p50: at(times[name], 0.5), p99: at(times[name], 0.99) }])
  return Object.fromEntries(entries)
}

/** Megabytes of the largest process, its own memory only. */
function watchLargest(pid: number): { stop(): number } {
  let largest = 0
  const timer = setInterval(() => {
    for (const { residentMb } of processTree([pid])) largest = Math.max(largest, residentMb)
  }, 100)
  return {
    stop() {
      clearInterval(timer)
      return Math.round(largest)
    },
  }
}
