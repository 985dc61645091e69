import { AppError } from '../../errors.ts'
import type { FailureKind } from '../egress/failure.ts'
import type { Credentials } from './config.ts'
import type { SearchEngine } from './engines/engine.ts'
import { hasErrorFormat } from './schema/recognise-engine.ts'
import { ClusterError, NoResponse } from './transport.ts'

/** `hosts` is for messages; `engine` is undefined until it is known. */
export type IndexAddress = {
  hosts: string
  firstHost: string
  index: string
  credentials: Credentials
  engine: SearchEngine | undefined
}

/** A failure of a whole request or of one bulk item. */
export type ClusterFailure = { status: number; type: string; reason: string; indexUuid?: string }

/** Turns a failure into our error, without its reason, which may quote document text. */
export function translate(error: unknown, doing: string, address: IndexAddress): AppError {
  if (error instanceof AppError) return error
  if (error instanceof NoResponse) {
    const isOtherServer = error.why === 'not a cluster' || error.why === 'too long'
    return unreachable(error.message, {
      doing,
      address,
      fix: isOtherServer ? NOT_A_CLUSTER : REACH_FIXES[error.kind],
    })
  }
  if (!(error instanceof ClusterError))
    return unreachable('the request could not be sent', { doing, address, fix: NOT_REACHED })
  return isNotACluster(error, address)
    ? notACluster(doing, address, error.status)
    : failureError(failureOf(error), doing, address)
}

export function notACluster(doing: string, address: IndexAddress, status?: number): AppError {
  const responds = status === undefined ? 'it responds' : `it responds with ${status}`
  const why = `${responds}, but is neither Elasticsearch nor OpenSearch`
  return unreachable(why, { doing, address, fix: NOT_A_CLUSTER })
}

function where(doing: string, { index, hosts }: IndexAddress): string {
  return `${doing} index ${index} at ${hosts}`
}

type Unreachable = { doing: string; address: IndexAddress; fix: string }

function unreachable(why: string, { doing, address, fix }: Unreachable): AppError {
  return new AppError('destination_unreachable', `${where(doing, address)}: ${why}`, { fix })
}

const NOT_A_CLUSTER =
  'Check that hosts is the address of the search cluster itself, not of its web page or another server'
const NOT_REACHED = 'Check the address and the port in hosts, and that the cluster is up'

const REACH_FIXES: Record<FailureKind, string> = {
  other_name:
    'Use the name in hosts that the certificate is for, or give the cluster a certificate for this name',
  certificate_invalid: "Renew the cluster's certificate, and check the clocks of both machines",
  unknown_authority:
    "The service operator adds the cluster's own certificate authority to MILLRACE_CA_FILE; millrace-ingest also takes ca_file or ca_fingerprint",
  fingerprint:
    'Take ca_fingerprint from the file of the authority: openssl x509 -noout -fingerprint -sha256 -in http_ca.crt',
  proxy:
    'The service operator checks MILLRACE_EGRESS_PROXY, and adds hosts that are reached directly to NO_PROXY',
  unreachable: NOT_REACHED,
}

/** No signature and no error format. A load balancer's 5xx, 429 or 413 looks the same, but is temporary. */
function isNotACluster({ status, body }: ClusterError, { engine }: IndexAddress): boolean {
  if (status >= 500 || status === 429 || status === 413) return false
  return !engine && !hasErrorFormat(body)
}

/** The error that ends a job, or null if only one document failed. */
export function wholeIndexError(
  failure: ClusterFailure,
  doing: string,
  address: IndexAddress,
): AppError | null {
  const { status, type } = failure
  const what = where(doing, address)
  if (type === 'index_not_found_exception' || isRefusedCreation(failure)) return indexMissing(doing, address)
  if (type === 'index_closed_exception')
    return new AppError('destination_read_only', `${what}: the index is closed`)
  if (type === 'cluster_block_exception' && status !== 503) {
    const full = failure.reason.includes('flood-stage')
    return new AppError(
      'destination_read_only',
      `${what}: ${full ? 'its disk is full, so it' : 'the index'} accepts no writes`,
      {
        fix: full
          ? 'Free space in the cluster; the block then lifts by itself'
          : 'Lift the block in the index settings',
      },
    )
  }
  if (status === 401 || status === 403) return unauthorized(status, what, address)
  return null
}

export function isTransient({ status, type }: ClusterFailure): boolean {
  return (status === 429 && type !== 'cluster_block_exception') || (status >= 502 && status <= 504)
}

export function overloaded(doing: string, address: IndexAddress): AppError {
  const fix = 'Run the job again later, or add capacity to the cluster'
  return new AppError('destination_overloaded', `${where(doing, address)}: it is still overloaded`, { fix })
}

export function indexMissing(doing: string, address: IndexAddress): AppError {
  const fix = `Create it with ${creationCommand(address)}`
  return new AppError('destination_index_missing', `${where(doing, address)}: the index does not exist`, {
    fix,
  })
}

/** An index of this name exists, but not the one that was prepared. */
export function indexReplaced(doing: string, address: IndexAddress): AppError {
  return new AppError(
    'destination_index_missing',
    `${where(doing, address)}: the index was deleted and another now has its name`,
    { fix: 'Run the workflow again with reprocess_all' },
  )
}

/** A command that runs unchanged if the secret is in the environment. */
export function creationCommand(
  { firstHost, index, credentials, engine }: IndexAddress,
  body: object | null | undefined = engine?.creationBody,
): string {
  const path = encodeURIComponent(index).replaceAll("'", '%27')
  const settings = body ? ` -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'` : ''
  return `curl -X PUT '${firstHost.replace(/\/$/, '')}/${path}' ${credentials.curl}${settings}`
}

/** The exception type and the field, never a value. */
export function describe({ type, reason }: ClusterFailure): string {
  const within = /introduction of \[([^\]]{1,200})\] within \[([^\]]{1,200})\]/.exec(reason)
  const field = within
    ? `${within[2]}.${within[1]}`.replace(/^_doc\./, '')
    : /field \[([^\]]{1,200})\]/.exec(reason)?.[1]
  return field ? `${type} in field ${field}` : type
}

export function failureError(failure: ClusterFailure, doing: string, address: IndexAddress): AppError {
  const whole = wholeIndexError(failure, doing, address)
  if (whole) return whole
  if (isTransient(failure)) return overloaded(doing, address)
  const what = where(doing, address)
  if (failure.status >= 500)
    return new AppError('destination_unreachable', `${what}: it responds with ${failure.status}`)
  return new AppError('destination_rejected', `${what}: ${describe(failure)} (${failure.status})`)
}

export function failureOf({ status, body }: ClusterError): ClusterFailure {
  const { error } = (body ?? {}) as { error?: { type?: unknown; reason?: unknown } | string }
  const details = typeof error === 'object' ? error : undefined
  return {
    status,
    type: typeof details?.type === 'string' ? details.type : `http_${status}`,
    reason: typeof details?.reason === 'string' ? details.reason : '',
  }
}

function unauthorized(status: number, what: string, { credentials, engine }: IndexAddress): AppError {
  if (status !== 401)
    return new AppError('destination_unauthorized', `${what}: ${credentials.name} lacks a privilege`, {
      fix: `Give ${credentials.holder} read, write, view_index_metadata and manage on this index`,
    })
  const hasNoKeys = engine?.name === 'OpenSearch' && credentials.kind === 'api key'
  const fix = hasNoKeys
    ? 'OpenSearch has users instead of API keys: use millrace-ingest with username and password'
    : credentials.renew
  return new CredentialsRejected(`${what}: ${credentials.name} is not accepted`, fix)
}

/** The cluster rejects the credentials themselves; others only lack a privilege. */
export class CredentialsRejected extends AppError {
  constructor(message: string, fix: string) {
    super('destination_unauthorized', message, { fix })
  }
}

/** The refusal of a write to a deleted index, if the key may not create indexes. */
function isRefusedCreation({ status, reason }: ClusterFailure): boolean {
  return status === 403 && reason.includes('indices:admin/auto_create')
}
