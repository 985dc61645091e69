import { AppError } from '../../errors.ts'
import { pending } from '../../report.ts'
import type { CheckReport, CheckStep, OnSteps } from '../connector.ts'
import type { SearchClient } from './client.ts'
import { type FoundIndex, findIndex } from './locate.ts'
import { dimsOf, planSchema } from './mapping.ts'
import type { Mapping } from './schema.ts'
import { creationOf } from './translate.ts'

const NEEDED = ['read', 'write', 'view_index_metadata']
/** Of the embedder that a workflow has where none is named. */
const DEFAULT_DIMS = 384
const STEPS = ['reach', 'key', 'privileges', 'index', 'schema'] as const

/** Step by step, from the outside in; what stands behind a failed step is not tried. Nothing cluster-wide is asked. */
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
  const privileges = { manage: true }
  try {
    add(...(await reach(client, signal)))
    add(await askPrivileges(client, privileges, signal))
    const found = await step('index', () => findIndex(client, 'once', signal))
    add({ name: 'index', status: 'ok', detail: `index ${client.place.index} exists` })
    add(schemaStep(client, found, privileges.manage))
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error
    steps.push(...error.before, failedStep(error.step, error.reason))
  }
  const failed = steps.find(({ status }) => status === 'failed')
  for (const name of STEPS.slice(steps.length)) steps.push({ name, status: 'skipped', detail: 'not tried' })
  return { ok: !failed, reason: failed ? told(failed) : null, steps }
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

/** `_authenticate` is open to every valid key, unlike `GET /`, which asks for a right over the cluster. */
async function reach(client: SearchClient, signal: AbortSignal): Promise<CheckStep[]> {
  const reached: CheckStep = { name: 'reach', status: 'ok', detail: `${client.place.hosts} answers` }
  try {
    await client.once('trying the key for', (es, options) => es.security.authenticate({}, options), signal)
    return [reached, { name: 'key', status: 'ok', detail: 'the API key is accepted' }]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'destination_unauthorized') throw new StepFailed('key', error, [reached])
    // A cluster without security has no such route; what the key may do shows in the next steps.
    if (error.code !== 'destination_rejected') throw new StepFailed('reach', error)
    return [
      reached,
      { name: 'key', status: 'warning', detail: 'the cluster does not say whether it knows the key' },
    ]
  }
}

async function askPrivileges(
  client: SearchClient,
  privileges: { manage: boolean },
  signal: AbortSignal,
): Promise<CheckStep> {
  const name = 'privileges'
  const { index } = client.place
  const asked = { index: [{ names: [index], privileges: [...NEEDED, 'manage'] }] }
  let held: Record<string, boolean>
  try {
    const answer = await client.once(
      'asking for privileges on',
      (es, options) =>
        es.security.hasPrivileges(asked as Parameters<typeof es.security.hasPrivileges>[0], options),
      signal,
    )
    held = (answer.index[index] ?? {}) as Record<string, boolean>
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { name, status: 'warning', detail: 'the cluster does not say what the key may do' }
  }
  privileges.manage = held.manage === true
  const lacking = NEEDED.filter((privilege) => !held[privilege])
  if (lacking.length === 0) return { name, status: 'ok', detail: `the key may read and write index ${index}` }
  // A key that may not look does not learn whether there is anything to look at.
  const blind = lacking.includes('view_index_metadata')
  const what = `the key has no ${lacking.join(', ')} on index ${index}`
  const give = `Give the key ${NEEDED.join(', ')} on index ${index}, and manage where its schema is still to be made`
  const create = `Where it is missing, create it with ${creationOf(client.place)} and a key that may`
  const reason = new AppError('destination_unauthorized', blind ? `${what}, which may not exist` : what, {
    fix: blind ? `${give}. ${create}` : give,
  })
  throw new StepFailed(name, reason)
}

function schemaStep({ place }: SearchClient, { mapping }: FoundIndex, mayManage: boolean): CheckStep {
  const name = 'schema'
  const plan = planSchema(mapping, 'unknown')
  const [problem] = plan.problems
  if (problem)
    return {
      name,
      status: 'failed',
      detail: `index ${place.index} does not fit: ${problem}`,
      fix: SCHEMA_FIX,
    }
  const { vectors, fitsDefault } = ofVectors(mapping)
  const status = fitsDefault ? 'ok' : 'warning'
  if (plan.required.length === 0)
    return { name, status, detail: `the index has the fields for permissions${vectors}` }
  const empty = Object.keys(mapping.properties ?? {}).length === 0
  const detail = empty
    ? 'the index has no schema; the first job makes it'
    : `the first job adds ${plan.required.length} fields for permissions`
  if (mayManage) return { name, status, detail: `${detail}${vectors}` }
  // Clusters of version 8 let a key with `write` extend a mapping although they do not count it among its rights.
  return {
    name,
    status: 'warning',
    detail: `${detail}, which the key may not be allowed to${vectors}`,
    fix: `Give the key manage on index ${place.index} for the first job`,
  }
}

export const SCHEMA_FIX = 'Use an empty index, or change its mapping'

/** No workflow is known to a check, so what is said of its vectors is said for the default's. */
function ofVectors(mapping: Mapping): { vectors: string; fitsDefault: boolean } {
  const dims = dimsOf(mapping)
  if (dims === null) return { vectors: '', fitsDefault: true }
  if (dims === DEFAULT_DIMS)
    return {
      vectors: `; vectors of ${dims} dimensions, as the default embedder makes them`,
      fitsDefault: true,
    }
  const only = `only an embedder of that width fits; the default has ${DEFAULT_DIMS}`
  return { vectors: `; vectors of ${dims} dimensions: ${only}`, fitsDefault: false }
}

function told({ detail, fix }: CheckStep): string {
  if (!fix) return detail
  return detail.endsWith('?') ? `${detail} ${fix}` : `${detail}. ${fix}`
}

function failedStep(name: string, { message, fix }: AppError): CheckStep {
  return { name, status: 'failed', detail: message, ...(fix ? { fix } : {}) }
}
