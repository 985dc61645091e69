import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { personTokens } from '../../src/access.ts'
import type { Belonging, Source } from '../../src/connectors/connector.ts'
import { createEgress } from '../../src/connectors/egress/guard.ts'
import { findSourceType } from '../../src/connectors/registry.ts'
import type { DocumentRef } from '../../src/document.ts'
import { createRandom } from '../../src/sample/wiki/random.ts'
import { OPERATIONS, type Operation } from './oracle.ts'

/**
 * Compares what the connector would write of a wiki's permissions with the wiki's own answer
 * (`content/{id}/permission/check`), for a sample of people and pages. Nothing is changed in the wiki.
 *
 *   MILLRACE_AUDIT_TOKEN=… node test/oracle/audit.ts --url https://acme.atlassian.net --username me@acme.example
 *
 * `--sample 200` pairs, `--seed 1`, `--spaces ENG,HR`; url, username and token may also come as
 * MILLRACE_AUDIT_URL, _USERNAME and _TOKEN. Ends with 0 where all agree or a shortfall was told as unproved, 1
 * where they disagree, 2 where it could not be started, 3 where it could not be done.
 */
const AT_ONCE = 4
const { signal } = new AbortController()

type Settings = {
  url: string
  username: string
  token: string
  sample: number
  seed: number
  spaces: string[]
}
type Somebody = Belonging & { id: string; tokens: string[] }
type Verdict = 'agrees' | 'too many' | 'too few' | 'unproved'
type Finding = { verdict: Verdict; line: string }

const settings = readSettings()
process.exitCode = 'problem' in settings ? complain(settings.problem, 2) : await main(settings)

async function main(wanted: Settings): Promise<number> {
  const egress = createEgress({ publicOnly: false })
  try {
    const source = await openSource(wanted, egress)
    const refs = await listed(source)
    const ids = await peopleOf(wanted)
    if (refs.length === 0 || ids.length === 0) return complain('the wiki shows no pages or no people', 3)
    const pairs = draw(wanted, ids, refs)
    const people = await lookUp(source, new Set(pairs.map(({ id }) => id)))
    const asked = await inTurns(pairs, ({ id, ref }) => ask(wanted, people.get(id)!, ref))
    return report(pairs.length, asked.flat())
  } catch (error) {
    return complain(error instanceof Error ? error.message : String(error), 3)
  } finally {
    await egress.close()
  }
}

function report(pairs: number, findings: Finding[]): number {
  for (const { verdict, line } of findings) if (verdict !== 'agrees') console.log(`${verdict}: ${line}`)
  const count = (wanted: Verdict) => findings.filter(({ verdict }) => verdict === wanted).length
  const [many, few] = [count('too many'), count('too few')]
  console.log(
    `${pairs} pairs, ${findings.length} answers compared: ` +
      `${many} too many, ${few} too few, ${count('unproved')} not granted for want of proof`,
  )
  return many + few > 0 ? 1 : 0
}

/** The three lists and the clauses of one page, for one person, against what the wiki says. */
async function ask(
  wanted: Settings,
  person: Somebody,
  { access, title, locator }: DocumentRef,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const operation of OPERATIONS) {
    const allowed = await wikiSays(wanted, { person, page: locator.page_id!, operation })
    const judge = (form: string, granted: boolean) => {
      const missing: Verdict = access.unproved ? 'unproved' : 'too few'
      const verdict = granted === allowed ? 'agrees' : granted ? 'too many' : missing
      const why = verdict === 'unproved' ? ` (${access.unproved})` : ''
      findings.push({
        verdict,
        line: `${person.id} may${allowed ? '' : ' not'} ${operation} page ${locator.page_id} "${title}", by the ${form}${why}`,
      })
    }
    judge('lists', isListed(access, person, operation))
    if (operation === 'read') judge('clauses', matches(access, person))
  }
  return findings
}

type Written = DocumentRef['access']

function isListed(
  { permissions }: Written,
  { account, id, groups, classes }: Somebody,
  operation: Operation,
): boolean {
  const [{ read }, { update }, { delete: remove }] = permissions
  const list = { read, update, delete: remove }[operation]
  return (
    (account === 'known' && list.users.includes(id)) ||
    groups.some((group) => list.groups.includes(group)) ||
    classes.some((name) => list.access_classes?.includes(name))
  )
}

function matches({ clauses }: Written, { tokens }: Somebody): boolean {
  return Object.values(clauses).every((entries) => entries.some((entry) => tokens.includes(entry)))
}

function openSource(
  { url, username, token, spaces }: Settings,
  egress: ReturnType<typeof createEgress>,
): Promise<Source> {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  const type = findSourceType('wiki')!
  const most = { max_num_of_docs_from_each_space: 1_000_000 }
  const config = type.schema.parse({ url, username, token, cloud: true, spaces, ...most })
  // The registry does not know the shape of each one's settings; the schema has just checked it.
  return type.open(config as never, { egress, log: silent })
}

async function listed(source: Source): Promise<DocumentRef[]> {
  const refs: DocumentRef[] = []
  for await (const page of source.list(signal)) if (page.kind === 'refs') refs.push(...page.refs)
  return refs
}

/** Every other pair is about a restricted page: those are few, and the ones that go wrong. */
function draw(
  { sample, seed }: Settings,
  ids: string[],
  refs: DocumentRef[],
): { id: string; ref: DocumentRef }[] {
  const random = createRandom(seed)
  const restricted = refs.filter(({ access }) => Object.keys(access.clauses).length > 1)
  const drawn = new Map<string, { id: string; ref: DocumentRef }>()
  // Small wikis have fewer pairs than were asked for, so drawing ends after a while in any case.
  for (let tries = 0; drawn.size < sample && tries < sample * 20; tries++) {
    const from = tries % 2 === 0 && restricted.length > 0 ? restricted : refs
    const pair = { id: random.pick(ids), ref: random.pick(from) }
    drawn.set(`${pair.id} ${pair.ref.recordId}`, pair)
  }
  return [...drawn.values()]
}

async function lookUp(source: Source, ids: Set<string>): Promise<Map<string, Somebody>> {
  const { naming } = await source.site(signal)
  const people = await inTurns([...ids], async (id) => {
    const belonging = await source.groupsOf(id, signal)
    const named = belonging.account === 'known' ? { user: id } : {}
    return { id, ...belonging, tokens: personTokens({ ...belonging, ...named }, naming) }
  })
  return new Map(people.map((person) => [person.id, person]))
}

async function peopleOf(wanted: Settings): Promise<string[]> {
  type Page = { results: { user?: { accountId?: string } }[] }
  const ids = new Set<string>()
  for (let start = 0; ; ) {
    const query = new URLSearchParams({ cql: 'type=user', start: String(start), limit: '100' })
    const { results } = await call<Page>(wanted, `search/user?${query}`)
    for (const { user } of results) if (user?.accountId) ids.add(user.accountId)
    start += results.length
    if (results.length === 0) return [...ids]
  }
}

type Question = { person: Somebody; page: string; operation: Operation }

async function wikiSays(wanted: Settings, { person, page, operation }: Question): Promise<boolean> {
  const body = { subject: { type: 'user', identifier: person.id }, operation }
  const path = `content/${encodeURIComponent(page)}/permission/check`
  return (await call<{ hasPermission: boolean }>(wanted, path, body)).hasPermission
}

async function call<T>({ url, username, token }: Settings, path: string, body?: object): Promise<T> {
  const base = url.replace(/\/+$/, '').replace(/\/wiki$/, '')
  const authorization = `Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`
  const headers = { authorization, accept: 'application/json', 'content-type': 'application/json' }
  for (let tries = 1; ; tries++) {
    const response = await fetch(`${base}/wiki/rest/api/${path}`, {
      headers,
      redirect: 'error',
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    })
    if (response.ok) return (await response.json()) as T
    await response.body?.cancel()
    if (response.status !== 429 || tries === 6)
      throw new Error(`${path.split('?')[0]}: HTTP ${response.status}`)
    await sleep(1000 * Number(response.headers.get('retry-after') ?? 2 ** tries))
  }
}

async function inTurns<T, R>(items: T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) done[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return done
}

function readSettings(): Settings | { problem: string } {
  const text = { type: 'string' } as const
  const options = { url: text, username: text, token: text, sample: text, seed: text, spaces: text }
  try {
    const { values } = parseArgs({ options })
    const { MILLRACE_AUDIT_URL, MILLRACE_AUDIT_USERNAME, MILLRACE_AUDIT_TOKEN } = process.env
    const url = values.url ?? MILLRACE_AUDIT_URL
    const username = values.username ?? MILLRACE_AUDIT_USERNAME
    const token = values.token ?? MILLRACE_AUDIT_TOKEN
    if (!url || !username || !token) return { problem: 'url, username and token are needed' }
    const [sample, seed] = [Number(values.sample ?? 200), Number(values.seed ?? 1)]
    if (!(Number.isInteger(sample) && sample > 0)) return { problem: '--sample is a whole number above 0' }
    if (!Number.isInteger(seed)) return { problem: '--seed is a whole number' }
    const spaces = values.spaces?.split(',').filter((key) => key !== '') ?? []
    return { url, username, token, sample, seed, spaces }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function complain(problem: string, code: number): number {
  console.error(`audit: ${problem}`)
  return code
}
