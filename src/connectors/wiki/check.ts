import type { Compute } from '../../compute.ts'
import { AppError } from '../../errors.ts'
import { ANONYMOUS, AUTHENTICATED, LICENSED } from '../../permissions/principals.ts'
import type { CheckReport, CheckStep, OnSteps } from '../../report.ts'
import { countOf, pending } from '../../report.ts'
import { paceOf } from '../kit/site-paces.ts'
import { undefinedUnlessFatal } from './access/directory.ts'
import { spacePermissions } from './access/permissions.ts'
import { checkSample, DROPPED_STEP, HIDDEN_STEP } from './check-sample.ts'
import { checkTokenGrants } from './check-token-grants.ts'
import type { PageInfo, Space, WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { selectSpaces } from './listing/spaces.ts'
import { type OpenedWiki, openDeployment } from './open-deployment.ts'
import type { OpenOptions } from './open-options.ts'
import { cloudSite, dataCenterSite } from './transport/site.ts'

/** Checks step by step, to show what works and what to fix. */
export async function checkWiki(
  openOptions: OpenOptions & { compute: Compute | undefined },
  onSteps: OnSteps,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { config } = openOptions
  const steps: CheckStep[] = []
  const add = createRecorder(steps, plannedSteps(config), onSteps)
  const step = createStep(add, signal)

  const reached = await step('reach the wiki', () => reach(openOptions, signal))
  const opened = reached && (await step('sign in', () => signIn(openOptions, signal)))
  if (!opened) return report(steps)
  add(versionStep(opened))
  const { client } = opened
  const spaces = await step('list spaces', () => visibleSpaces({ client, config }, signal))
  if (!spaces) return report(steps)

  const named: Space[] = []
  for (const key of config.spaces) {
    const space = await step(`space ${key}`, () => findSpace(client, { ...config, spaces: [key] }, signal))
    if (space) named.push(space)
  }
  const chosen = config.spaces.length > 0 ? named[0] : spaces[0]
  const page = chosen && (await step('read a page', () => readFirstPage(client, chosen, signal)))
  if (page?.id)
    await step('read restrictions', async () =>
      result(await client.restriction(page.id, signal), () => `of page ${page.id}`),
    )
  const groups =
    chosen && (await step('read space permissions', () => groupsWithAccess(client, chosen, signal)))
  if (groups) await step('read group members', () => readMembers(client, groups, signal), 'warning')
  const grants = chosen && page && (await checkTokenGrants({ client, config, space: chosen, page }, signal))
  if (grants) add(grants)
  const { cql } = config
  if (chosen && cql) await step('filter pages', () => applyFilter(client, { space: chosen, cql }, signal))
  const selected = config.spaces.length > 0 ? named : spaces.slice(0, config.max_num_of_spaces)
  const sample = { client, config, spaces: selected, compute: openOptions.compute }
  for (const sampled of await checkSample(sample, signal).catch(sampleFailure(signal))) add(sampled)
  add(await summary(client, { selected, all: spaces }, signal))
  return report(steps)
}

function sampleFailure(signal: AbortSignal) {
  return (error: unknown): CheckStep[] => {
    signal.throwIfAborted()
    if (!(error instanceof AppError)) throw error
    return [
      {
        name: HIDDEN_STEP,
        status: 'warning',
        detail: error.message,
        ...(error.fix ? { fix: error.fix } : {}),
      },
    ]
  }
}

/** The steps of a successful check, in order; a scoped token adds one. */
function plannedSteps({ spaces, cql }: WikiConfig): string[] {
  return [
    'reach the wiki',
    'sign in',
    'version',
    'list spaces',
    ...spaces.map((key) => `space ${key}`),
    'read a page',
    'read restrictions',
    'read space permissions',
    'read group members',
    ...(cql ? ['filter pages'] : []),
    DROPPED_STEP,
    HIDDEN_STEP,
    'what can be seen',
  ]
}

/** Adds a finished step. Steps skipped before it are no longer pending. */
function createRecorder(steps: CheckStep[], plan: string[], onSteps: OnSteps): (step: CheckStep) => void {
  let done = 0
  onSteps(plan.map(pending))
  return (step) => {
    steps.push(step)
    done = Math.max(done, plan.indexOf(step.name) + 1)
    onSteps([...steps, ...plan.slice(done).map(pending)])
  }
}

type Result<T> = { value: T; detail: string; skipped?: boolean }
type Step = <T>(
  name: string,
  work: () => Promise<Result<T>>,
  onFailure?: 'failed' | 'warning',
) => Promise<T | undefined>

function createStep(add: (step: CheckStep) => void, signal: AbortSignal): Step {
  return async (name, work, onFailure = 'failed') => {
    try {
      const { value, detail, skipped } = await work()
      add({ name, status: skipped ? 'skipped' : 'ok', detail })
      return value
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof AppError)) throw error
      add({ name, status: onFailure, detail: error.message, ...(error.fix ? { fix: error.fix } : {}) })
      return undefined
    }
  }
}

function report(steps: CheckStep[]): CheckReport {
  const failed = steps.find(({ status }) => status === 'failed')
  if (!failed) return { ok: true, reason: null, steps }
  return { ok: false, reason: failed.fix ? `${failed.detail}. ${failed.fix}` : failed.detail, steps }
}

function result<T>(value: T, detail: (value: T) => string): Result<T> {
  return { value, detail: detail(value) }
}

/** Any response counts; later steps check its content. */
async function reach({ config, egress }: OpenOptions, signal: AbortSignal): Promise<Result<true>> {
  const { base } = config.cloud ? cloudSite(config.url) : dataCenterSite(config.url)
  const url = new URL(`${base}/rest/api/user/current`)
  const slot = await paceOf(egress, { origin: url.origin, prefix: '' }).enter(
    { kind: null, maxWaitMs: 20_000 },
    signal,
  )
  // A wiki that asks for a pause is reachable; the next step reports it.
  if (!('leave' in slot)) return { value: true, detail: `${url.host} asked for a pause` }
  const started = performance.now()
  try {
    await egress.request(url, { maxBytes: 8 * 1024 * 1024, timeoutMs: 20_000 }, signal)
  } finally {
    slot.leave()
  }
  return { value: true, detail: `${url.host} answered after ${Math.round(performance.now() - started)} ms` }
}

async function signIn(openOptions: OpenOptions, signal: AbortSignal): Promise<Result<OpenedWiki>> {
  // Two tries instead of six, because a person waits.
  const options = { ...openOptions.options, tries: 2, timeoutMs: 20_000, maxWaitMs: 20_000 }
  const opened = await openDeployment({ ...openOptions, options }, signal)
  const { id, name } = opened.account
  return { value: opened, detail: `as ${name ?? id}` }
}

function versionStep({ kind, mismatch, client }: OpenedWiki): CheckStep {
  if (!mismatch) return { name: 'version', status: 'ok', detail: `${client.site.name} is ${kind}` }
  return { name: 'version', status: 'warning', detail: mismatch, fix: 'Set cloud to false' }
}

async function visibleSpaces(
  { client, config }: { client: WikiClient; config: WikiConfig },
  signal: AbortSignal,
): Promise<Result<Space[]>> {
  const everything = { ...config, spaces: [], max_num_of_spaces: Number.MAX_SAFE_INTEGER }
  const { spaces } = await selectSpaces(client, everything, signal)
  const isOverLimit = config.spaces.length === 0 && spaces.length > config.max_num_of_spaces
  const limit = isOverLimit
    ? `, of which the first ${config.max_num_of_spaces} will be read (max_num_of_spaces)`
    : ''
  return { value: spaces, detail: `${countOf(spaces.length, 'current space')} can be seen${limit}` }
}

async function findSpace(
  client: WikiClient,
  config: WikiConfig,
  signal: AbortSignal,
): Promise<Result<Space>> {
  const [space] = (await selectSpaces(client, config, signal)).spaces
  return result(space!, ({ name, archived }) => `found: ${name}${archived ? ' (archived)' : ''}`)
}

async function readFirstPage(
  client: WikiClient,
  space: Space,
  signal: AbortSignal,
): Promise<Result<PageInfo | undefined>> {
  const options = { kind: 'page', status: 'current', pageSize: 1 } as const
  for await (const { pages } of client.pagesIn(space, options, signal)) {
    const [page] = pages
    if (!page) break
    const { storage } = await client.body({ id: page.id, type: 'page' }, signal)
    return {
      value: page,
      detail: `page ${page.id} of space ${space.key}, ${countOf(storage.length, 'character')}`,
    }
  }
  return {
    value: undefined,
    detail: `space ${space.key} has no pages that the account can see`,
    skipped: true,
  }
}

const CLASS_WORDS: Record<string, string> = {
  [ANONYMOUS]: 'visitors without an account',
  [LICENSED]: 'every licensed user',
  [AUTHENTICATED]: 'everyone who is signed in',
}

async function groupsWithAccess(
  client: WikiClient,
  space: Space,
  signal: AbortSignal,
): Promise<Result<string[]>> {
  const { read } = spacePermissions(await client.grants(space, await client.roles(signal), signal))
  const people = read.users.size === 1 ? '1 person' : `${read.users.size.toLocaleString('en')} people`
  const classes = [...read.classes].map((name) => CLASS_WORDS[name] ?? name)
  const readers = [people, countOf(read.groups.size, 'group'), ...classes]
  const detail = `${readers.slice(0, -1).join(', ')} and ${readers.at(-1)} may read space ${space.key}`
  return { value: [...read.groups], detail }
}

async function readMembers(
  client: WikiClient,
  [group]: string[],
  signal: AbortSignal,
): Promise<Result<true>> {
  if (!group) return { value: true, detail: 'no group has a permission there', skipped: true }
  const accounts = await client.members(group, signal)
  const name = (await client.groupNames([group], signal).catch(undefinedUnlessFatal))?.get(group)
  return { value: true, detail: `group ${name ?? group} has ${countOf(accounts.length, 'member')}` }
}

async function applyFilter(
  client: WikiClient,
  filter: { space: Space; cql: string },
  signal: AbortSignal,
): Promise<Result<true>> {
  const found = await client.matching(filter, signal)
  return { value: true, detail: `cql finds ${found.size} pages in space ${filter.space.key}` }
}

/** A person is waiting, so a sample of many spaces is enough. */
const SPACES_CHECKED = 20

/** What these credentials can see, and whether permissions can be verified. */
async function summary(
  client: WikiClient,
  { selected, all }: { selected: Space[]; all: Space[] },
  signal: AbortSignal,
): Promise<CheckStep> {
  const checked = selected.slice(0, SPACES_CHECKED)
  const roles = await client.roles(signal).catch(undefinedUnlessFatal)
  const outcomes = await Promise.all(
    checked.map(async (space) => {
      const grants = roles && (await client.grants(space, roles, signal).catch(undefinedUnlessFatal))
      return { space, isProved: grants !== undefined }
    }),
  )
  const unverified = outcomes.filter(({ isProved }) => !isProved).map(({ space }) => space)
  const seen = `${selected.length} of ${countOf(all.length, 'space')} of ${client.site.name} will be read: ${keyList(selected)}`
  const known = `${checked.length - unverified.length} of ${checked.length}`
  if (unverified.length === 0)
    return {
      name: 'what can be seen',
      status: 'ok',
      detail: `${seen}; permissions can be verified in ${known}`,
    }
  return {
    name: 'what can be seen',
    status: 'warning',
    detail: `${seen}; permissions can be verified in ${known}, not in ${keyList(unverified)}, whose pages no one will find`,
    fix: 'Let the account see the permissions of these spaces; on Data Center it has to administer them',
  }
}

function keyList(spaces: Space[]): string {
  const keys = spaces.slice(0, 10).map(({ key }) => key)
  return spaces.length > keys.length
    ? `${keys.join(', ')} and ${spaces.length - keys.length} more`
    : keys.join(', ')
}
