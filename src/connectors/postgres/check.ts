import { AppError } from '../../errors.ts'
import type { CheckReport, CheckStep, OnSteps } from '../../report.ts'
import { pending } from '../../report.ts'
import { tableOf } from './config.ts'
import type { TableClient } from './connection.ts'
import { type DescribedTable, describeDatabase, type FoundDatabase } from './describe-table.ts'
import { encodingProblem, planTable, readOnlyReason } from './plan-table.ts'
import { privilegeError, tableMismatch } from './prepare.ts'
import { type TableAddress, tableMissingError } from './translate.ts'
import { vectorColumn } from './vectors.ts'

/** Dimensions of the default embedder. */
const DEFAULT_DIMS = 384
const STEPS = ['reach', 'sign-in', 'privileges', 'table', 'schema', 'vectors'] as const
type StepName = (typeof STEPS)[number]
type Finding = Omit<CheckStep, 'name'>

/** Checks server, account, privileges, table and columns in this order; changes nothing. */
export async function checkTable(
  client: TableClient,
  onSteps: OnSteps,
  signal: AbortSignal,
): Promise<CheckReport> {
  const { address } = client
  const steps: CheckStep[] = []
  const add = (name: StepName, finding: Finding) => {
    steps.push({ name, ...finding })
    onSteps([...steps, ...STEPS.slice(steps.length).map(pending)])
    return finding.status !== 'failed'
  }
  onSteps(STEPS.map(pending))
  try {
    const found = await client.inspectOnce(
      'checking',
      (run) => describeDatabase(run, tableOf(client.config)),
      signal,
    )
    add('reach', ok(`${address.server} responds`))
    add('sign-in', ok(`${address.username} may connect to database ${address.database}`))
    const isUsable =
      add('privileges', privilegesStep(found, address)) &&
      add('table', tableStep(found, address)) &&
      add('schema', schemaStep(found, address))
    if (isUsable) add('vectors', vectorsStep(found))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isReached = error.code !== 'destination_unreachable' && error.code !== 'egress_refused'
    if (isReached) add('reach', ok(`${address.server} responds`))
    add(isReached ? 'sign-in' : 'reach', failed(error))
  }
  const wrong = steps.find(({ status }) => status === 'failed')
  for (const name of STEPS.slice(steps.length)) steps.push({ name, status: 'skipped', detail: 'not checked' })
  const reason = wrong ? `${wrong.detail}${wrong.fix ? `. ${wrong.fix}` : ''}` : null
  return { ok: !wrong, reason, steps }
}

function ok(detail: string): Finding {
  return { status: 'ok', detail }
}

function failed({ message, fix }: AppError): Finding {
  return { status: 'failed', detail: message, ...(fix ? { fix } : {}) }
}

function privilegesStep(found: FoundDatabase, address: TableAddress): Finding {
  const readOnly = readOnlyReason(found)
  if (readOnly) return { status: 'failed', detail: readOnly, fix: 'Use the address of the primary server' }
  const { schema, table } = found
  if (table) {
    const lacking = privilegeError(found, address)
    return lacking ? failed(lacking) : ok(`${address.username} may read and write table ${address.name}`)
  }
  if (schema?.mayUse && schema.mayCreate) return ok(`${address.username} may create table ${address.name}`)
  return failed(tableMissingError('checking', { address, hasSchema: schema !== null }))
}

function tableStep({ table }: FoundDatabase, { name }: TableAddress): Finding {
  return ok(table ? `table ${name} exists` : `table ${name} does not exist; the first run creates it`)
}

function schemaStep(found: FoundDatabase, address: TableAddress): Finding {
  const { table } = found
  const plan = table && planTable({ found: table, table: address.table }, 'unknown')
  const problems = [...encodingProblem(found), ...(plan?.problems ?? [])]
  if (problems.length > 0) return failed(tableMismatch(problems, address))
  if (!plan) return ok('the first run creates the columns')
  if (plan.improve.length > 0 && !table.isOwner)
    return {
      status: 'warning',
      detail: 'the table has no indexes for searches, and the account may not create them',
      fix: `As the owner of the table, run: ${plan.improve.join('; ')}`,
    }
  return ok(plan.add.length > 0 ? `the first run adds ${plan.add.length} columns` : 'the columns fit')
}

/** A check knows no workflow, so it compares with the default embedder. */
function vectorsStep(found: FoundDatabase): Finding {
  const column = found.table && vectorColumn(found.table)
  if (!column || typeof column === 'string') return withoutColumn(found, found.table)
  const storage = column.kind === 'vector' ? 'pgvector' : 'arrays, without pgvector'
  if (column.dims === DEFAULT_DIMS) return ok(`vectors of ${column.dims} dimensions as ${storage}`)
  const only = `only an embedder with this dimension fits; the default has ${DEFAULT_DIMS}`
  return { status: 'warning', detail: `vectors of ${column.dims} dimensions as ${storage}: ${only}` }
}

function withoutColumn(
  { vectorType, mayCreateVector }: FoundDatabase,
  table: DescribedTable | null,
): Finding {
  if (table && !table.isOwner)
    return {
      status: 'warning',
      detail: 'the table has no column embeddings. Workflows without an embed node can use it',
      fix: 'As the owner of the table, add the column that docs/connectors/postgres.md describes',
    }
  if (vectorType) return ok('pgvector is installed; the first workflow that embeds adds the column')
  if (mayCreateVector) return ok('the first workflow that embeds installs pgvector, or uses arrays')
  return ok('without pgvector, vectors are arrays and searches compare all of them')
}
