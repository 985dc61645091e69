import { errors } from '@elastic/elasticsearch'
import { AppError } from '../../errors.ts'

/** `hosts` is for people; `address` is the first of them as it was configured. */
export type Place = { hosts: string; address: string; index: string }

/** What a cluster says of a failure, of a whole request or of one item in a bulk. */
export type Failure = { status: number; type: string; reason: string; indexUuid?: string }

/**
 * A failed request in our words. Reasons are read here and go no further: they quote field values, and so the
 * text of documents that the reader of a log may not see.
 */
export function translate(error: unknown, doing: string, place: Place): AppError {
  if (error instanceof AppError) return error
  const unreachable = (why: string, fix: string) =>
    new AppError('destination_unreachable', `${doing} index ${place.index} at ${place.hosts}: ${why}`, {
      fix,
    })
  if (error instanceof errors.ResponseError)
    return isStranger(error)
      ? unreachable(`it answers ${error.statusCode}, but is not Elasticsearch`, NOT_A_CLUSTER)
      : ofFailure(failureOf(error), doing, place)
  if (error instanceof errors.ProductNotSupportedError)
    return unreachable('it answers, but is not Elasticsearch', NOT_A_CLUSTER)
  if (error instanceof errors.DeserializationError)
    return unreachable('the answer is not JSON', NOT_A_CLUSTER)
  if (error instanceof AnswerTooLong)
    return unreachable('the answer is longer than a cluster has reason to', NOT_A_CLUSTER)
  if (error instanceof errors.TimeoutError) return unreachable('no answer in time', NOT_REACHED)
  if (error instanceof errors.ConnectionError)
    return unreachable(error.message, error.message === REDIRECTED ? NOT_A_CLUSTER : NOT_REACHED)
  return unreachable('the request could not be made', NOT_REACHED)
}

/** Whoever asked for much can ask for less; no other host would say less. */
export class AnswerTooLong extends Error {}

/** What a page for people does, and a cluster never. */
export const REDIRECTED = 'it answers with a redirect, which Elasticsearch does not'

const NOT_A_CLUSTER =
  'Check that hosts is the address of the search cluster itself, not of its web page or of another server'
const NOT_REACHED = 'Check the address and the port in hosts, and that the cluster is up'

/**
 * A cluster signs its answers, but not the refusal of a key; that names a type of error, as all its failures do. A
 * balancer before it does neither, and what such a one answers may pass.
 */
function isStranger(error: errors.ResponseError): boolean {
  const { headers, statusCode = 0 } = error
  if (statusCode >= 500 || statusCode === 429 || statusCode === 413) return false
  return headers?.['x-elastic-product'] !== 'Elasticsearch' && !failureOf(error).type.endsWith('_exception')
}

/** The error that ends a job, or null where the failure is one document's own. */
export function ofWholeIndex(failure: Failure, doing: string, place: Place): AppError | null {
  const { status, type } = failure
  const what = `${doing} index ${place.index} at ${place.hosts}`
  if (type === 'index_not_found_exception' || isRefusedCreation(failure)) return indexMissing(doing, place)
  if (type === 'index_closed_exception')
    return new AppError('destination_read_only', `${what}: the index is closed`)
  if (type === 'cluster_block_exception' && status !== 503) {
    const full = failure.reason.includes('flood-stage')
    return new AppError(
      'destination_read_only',
      `${what}: ${full ? 'its disk is full, so it' : 'the index'} takes no writes`,
      {
        fix: full
          ? 'Free space in the cluster; the block then lifts by itself'
          : 'Lift the block in the index settings',
      },
    )
  }
  if (status === 401 || status === 403) return unauthorized(status, what)
  return null
}

export function isTransient({ status, type }: Failure): boolean {
  return (status === 429 && type !== 'cluster_block_exception') || (status >= 502 && status <= 504)
}

export function overloaded(doing: string, place: Place): AppError {
  return new AppError(
    'destination_overloaded',
    `${doing} index ${place.index} at ${place.hosts}: it stays overloaded`,
    {
      fix: 'Run the job again later, or give the cluster more room',
    },
  )
}

export function indexMissing(doing: string, place: Place): AppError {
  return new AppError(
    'destination_index_missing',
    `${doing} index ${place.index} at ${place.hosts}: there is no such index`,
    {
      fix: `Create it with ${creationOf(place)}`,
    },
  )
}

/** Something of its name is there, but it is not what was prepared, and what was written before is lost. */
export function indexReplaced(doing: string, place: Place): AppError {
  return new AppError(
    'destination_index_missing',
    `${doing} index ${place.index} at ${place.hosts}: the index was deleted, and what now has its name is another`,
    { fix: 'Run the workflow again with reprocess_all' },
  )
}

/** Runs as it stands once the key is in the environment; the name is quoted for the address and the shell. */
export function creationOf({ address, index }: Place): string {
  const path = encodeURIComponent(index).replaceAll("'", '%27')
  return `curl -X PUT '${address.replace(/\/$/, '')}/${path}' -H "Authorization: ApiKey $SEARCH_API_KEY"`
}

/** The kind of failure and the field, in the cluster's terms; never a value. */
export function describe({ type, reason }: Failure): string {
  const within = /introduction of \[([^\]]{1,200})\] within \[([^\]]{1,200})\]/.exec(reason)
  const field = within
    ? `${within[2]}.${within[1]}`.replace(/^_doc\./, '')
    : /field \[([^\]]{1,200})\]/.exec(reason)?.[1]
  return field ? `${type} in field ${field}` : type
}

export function ofFailure(failure: Failure, doing: string, place: Place): AppError {
  const whole = ofWholeIndex(failure, doing, place)
  if (whole) return whole
  if (isTransient(failure)) return overloaded(doing, place)
  const what = `${doing} index ${place.index} at ${place.hosts}`
  if (failure.status >= 500)
    return new AppError('destination_unreachable', `${what}: it fails with ${failure.status}`)
  return new AppError('destination_rejected', `${what}: ${describe(failure)} (${failure.status})`)
}

function failureOf(error: errors.ResponseError): Failure {
  const body = error.body as { error?: { type?: unknown; reason?: unknown } } | undefined
  const status = error.statusCode ?? 0
  return {
    status,
    type: typeof body?.error?.type === 'string' ? body.error.type : `http_${status}`,
    reason: typeof body?.error?.reason === 'string' ? body.error.reason : '',
  }
}

function unauthorized(status: number, what: string): AppError {
  return status === 401
    ? new AppError('destination_unauthorized', `${what}: the API key is not accepted`, {
        fix: 'Make a new key in the cluster and save it here',
      })
    : new AppError('destination_unauthorized', `${what}: the API key may not do that`, {
        fix: 'Give the key read, write, view_index_metadata and manage on this index',
      })
}

/** A key that may write but not create indexes is refused so when the index has gone. */
function isRefusedCreation({ status, reason }: Failure): boolean {
  return status === 403 && reason.includes('indices:admin/auto_create')
}
