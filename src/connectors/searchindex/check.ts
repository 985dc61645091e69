import { AppError } from '../../errors.ts'
import type { CheckReport, CheckStep, OnSteps } from '../../report.ts'
import { pending } from '../../report.ts'
import type { SearchClient } from './client.ts'
import { elasticsearch } from './engines/elasticsearch.ts'
import { opensearch } from './engines/opensearch.ts'
import { heldPrivileges } from './privileges.ts'
import { hasAnalyzers } from './schema/analysis.ts'
import {
  dimsOf,
  lacksVectorSupport,
  NO_VECTOR_SUPPORT,
  planSchema,
  searchableDims,
} from './schema/mapping.ts'
import { creationCommand, type IndexAddress, notACluster } from './translate.ts'
import { type FoundIndex, findIndex } from './write/locate.ts'

const NEEDED = ['read', 'write', 'view_index_metadata']
/** Dimensions of the default embedder. */
const DEFAULT_DIMS = 384
const STEPS = ['reach', 'key', 'privileges', 'index', 'schema'] as const

/** Checks host, key, privileges, index and schema in this order; needs no cluster privileges. */
export async function checkIndex(
  client: SearchClient,
  onSteps: OnSteps,
  signal: AbortSignal,
): Promise<CheckReport> {
  const steps: CheckStep[] = []
  const add = (...ended: CheckStep[]) => {
    steps.push(...ended)
    onSteps([...steps, ...STEPS.slice(steps.length).map(pending)])
  }
  add()
  const privileges: Privileges = { manage: true, create: false }
  try {
    add(...(await reach(client, signal)))
    add(await checkPrivileges(client, privileges, signal))
    const found = await step('index', () => findExisting(client, privileges, signal))
    add({ name: 'index', status: 'ok', detail: `index ${client.address.index} exists` })
    add(schemaStep(client, found, privileges.manage))
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    steps.push(...error.before, failedStep(error.step, error.reason))
  }
  const failed = steps.find(({ status }) => status === 'failed')
  for (const name of STEPS.slice(steps.length)) steps.push({ name, status: 'skipped', detail: 'not checked' })
  return { ok: !failed, reason: failed ? reasonOf(failed) : null, steps }
}

class StepFailed extends Error {
  readonly step: string
  readonly reason: AppError
  readonly before: CheckStep[]
  constructor(step: string, reason: AppError, before: CheckStep[] = []) {
    super(reason.message)
    this.step = step
    this.reason = reason
    this.before = before
  }
}

async function step<T>(name: string, work: () => Promise<T>, before: CheckStep[] = []): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AppError ? new StepFailed(name, error, before) : error
  }
}

/** Every valid key may request its own user; `GET /` needs a cluster privilege. A refusal shows the engine. */
async function reach(client: SearchClient, signal: AbortSignal): Promise<CheckStep[]> {
  const { address } = client
  const reached: CheckStep = { name: 'reach', status: 'ok', detail: `${address.hosts} responds` }
  const accepted = { name: 'key', status: 'ok', detail: `${address.credentials.name} is accepted` } as const
  for (const { whoAmI } of address.engine ? [address.engine] : [elasticsearch, opensearch]) {
    try {
      const request = { method: 'GET' as const, path: whoAmI.path }
      const response = await client.once<Record<string, unknown>>('trying the key for', request, signal)
      if (typeof response[whoAmI.name] !== 'string')
        throw new StepFailed('reach', notACluster('trying the key for', address))
      return [reached, accepted]
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      if (error.code === 'destination_unauthorized') throw new StepFailed('key', error, [reached])
      // A cluster without security lacks this route; later steps show the privileges.
      if (error.code !== 'destination_rejected') throw new StepFailed('reach', error)
    }
    if (address.engine) break
  }
  const detail = `the cluster does not report whether ${address.credentials.holder} is valid`
  return [reached, { name: 'key', status: 'warning', detail }]
}

type Privileges = { manage: boolean; create: boolean }

async function findExisting(
  client: SearchClient,
  { create }: Privileges,
  signal: AbortSignal,
): Promise<FoundIndex> {
  try {
    return await findIndex(client, 'once', signal)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'destination_index_missing' || !create) throw error
    const what = `${error.message}; ${client.address.credentials.holder} may create it`
    throw new AppError(error.code, what, { cause: error, fix: error.fix })
  }
}

async function checkPrivileges(
  client: SearchClient,
  privileges: Privileges,
  signal: AbortSignal,
): Promise<CheckStep> {
  const name = 'privileges'
  const { index, credentials, engine } = client.address
  const unknown: CheckStep = {
    name,
    status: 'warning',
    detail: `the cluster does not report the privileges of ${credentials.holder}; the first run will show them`,
  }
  if (!engine?.reportsPrivileges) return unknown
  let held: Record<string, boolean>
  try {
    const wanted = { names: [index], privileges: [...NEEDED, 'manage', 'create_index'] }
    held = (await heldPrivileges(client, wanted, signal))[index] ?? {}
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return unknown
  }
  privileges.manage = held.manage === true
  privileges.create = held.create_index === true
  const lacking = NEEDED.filter((privilege) => !held[privilege])
  if (lacking.length === 0)
    return { name, status: 'ok', detail: `${credentials.holder} may read and write index ${index}` }
  // Without view_index_metadata the key cannot see whether the index exists.
  const cannotSeeIndex = lacking.includes('view_index_metadata')
  const what = `${credentials.holder} has no ${lacking.join(', ')} on index ${index}`
  const give = `Give ${credentials.holder} ${NEEDED.join(', ')} on index ${index}, and manage if it has no schema yet`
  const create = `If it is missing, create it with ${creationCommand(client.address)} and a key that may create indexes`
  const reason = new AppError(
    'destination_unauthorized',
    cannotSeeIndex ? `${what}, which may not exist` : what,
    {
      fix: cannotSeeIndex ? `${give}. ${create}` : give,
    },
  )
  throw new StepFailed(name, reason)
}

function schemaStep({ address }: SearchClient, found: FoundIndex, mayManage: boolean): CheckStep {
  const name = 'schema'
  const plan = planSchema(found, 'unknown')
  if (plan.problems.length > 0) {
    const detail = `index ${address.index} does not fit: ${plan.problems.join('; ')}`
    return { name, status: 'failed', detail, fix: SCHEMA_FIX }
  }
  const { vectors, fitsDefault, fix } = vectorStatus(found, address)
  const status = fitsDefault ? 'ok' : 'warning'
  const words = hasAnalyzers(found.settings) ? '' : '; without analyzers, words are found as they are written'
  const stepWith = (detail: string): CheckStep => ({
    ...{ name, status, detail: `${detail}${vectors}${words}` },
    ...fix,
  })
  if (plan.required.length === 0) return stepWith('the index has the fields for permissions')
  const empty = Object.keys(found.mapping.properties ?? {}).length === 0
  const detail = empty
    ? 'the index has no schema; the first run creates it'
    : `the first run adds ${plan.required.length} fields for permissions`
  if (mayManage) return stepWith(detail)
  // Version 8 lets `write` extend a mapping without reporting it.
  return {
    name,
    status: 'warning',
    detail: `${detail}, for which ${address.credentials.holder} may lack privileges${vectors}`,
    fix: `Give ${address.credentials.holder} manage on index ${address.index} for the first run`,
  }
}

export const SCHEMA_FIX = 'Use an empty index, or change its mapping'

type VectorStatus = { vectors: string; fitsDefault: boolean; fix?: { fix: string } }

/** A check knows no workflow, so it compares with the default embedder. */
function vectorStatus(found: FoundIndex, address: IndexAddress): VectorStatus {
  if (lacksVectorSupport(found))
    return {
      vectors: `; ${NO_VECTOR_SUPPORT}. Workflows without an embed node can use it`,
      fitsDefault: false,
      fix: { fix: vectorSupportFix(address) },
    }
  const dims = dimsOf(found)
  if (dims === null) return { vectors: '', fitsDefault: true }
  const unsearchable = searchableDims(found) === null ? ', which cannot be searched' : ''
  if (dims === DEFAULT_DIMS)
    return {
      vectors: `; vectors of ${dims} dimensions, as the default embedder creates them${unsearchable}`,
      fitsDefault: unsearchable === '',
    }
  const only = `only an embedder with this dimension fits; the default has ${DEFAULT_DIMS}`
  return { vectors: `; vectors of ${dims} dimensions${unsearchable}: ${only}`, fitsDefault: false }
}

export function vectorSupportFix(address: IndexAddress): string {
  return `To store vectors, delete the index and create it with ${creationCommand(address)}`
}

function reasonOf({ detail, fix }: CheckStep): string {
  if (!fix) return detail
  return detail.endsWith('?') ? `${detail} ${fix}` : `${detail}. ${fix}`
}

function failedStep(name: string, { message, fix }: AppError): CheckStep {
  return { name, status: 'failed', detail: message, ...(fix ? { fix } : {}) }
}
