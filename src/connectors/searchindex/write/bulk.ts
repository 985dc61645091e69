import { runWorkers } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import { refusedWrites } from '../../../process-metrics.ts'
import { backoffMs } from '../../../retry.ts'
import type { Rejection } from '../../destination.ts'
import { sleep } from '../../kit/retries.ts'
import type { ClusterCall, SearchClient } from '../client.ts'
import { GUARD_TEMPLATE } from '../engines/elasticsearch.ts'
import {
  type ClusterFailure,
  describe,
  indexReplaced,
  isTransient,
  overloaded,
  wholeIndexError,
} from '../translate.ts'
import { ClusterError } from '../transport.ts'
import { createBulkLimits, MAX_BYTES, MAX_CONCURRENCY } from './bulk-limits.ts'
import { type LocatedIndex, pathOf } from './locate.ts'

/** Removals are small but slow; a thousand stay far from the timeout. */
const MAX_OPERATIONS = 1000

/** One operation on one element, with its lines of a bulk request. */
export type BulkOperation = { recordId: string; elementId: string; lines: string }

/** `body` has the bytes of its lines. */
type EncodedOperation = BulkOperation & { body: Buffer }

export type Bulk = (
  operations: Iterable<BulkOperation>,
  context: { doing: string; located: LocatedIndex },
  signal: AbortSignal,
) => Promise<Rejection[]>

/** Buffers of finished requests, for the next ones: left to the garbage collector, they would stay for a while. */
const spareBuffers: Buffer[] = []
const MAX_SPARE_BUFFERS = 3

/**
 * Sends operations in batches, several at a time. Retries items that an overloaded cluster refused; returns
 * rejected ones. Operations are idempotent.
 */
export function createBulk(client: SearchClient): Bulk {
  const limits = createBulkLimits()
  /** Counts requests that the cluster accepted, at least in part. */
  let progress = 0

  return async (operations, context, signal) => {
    const rejections: Rejection[] = []
    const iterator = operations[Symbol.iterator]()
    let next = takeNext(iterator)

    const takeBatch = (buffer: Buffer): EncodedOperation[] => {
      const batch: EncodedOperation[] = []
      for (let used = 0; next && batch.length < MAX_OPERATIONS; next = takeNext(iterator)) {
        const size = Buffer.byteLength(next.lines)
        if (batch.length > 0 && used + size > limits.bytes) break
        const body = size <= buffer.length ? buffer.subarray(used, used + size) : Buffer.allocUnsafeSlow(size)
        body.write(next.lines)
        batch.push({ ...next, lines: '', body })
        used += size
      }
      return batch
    }
    const worker = async (workerSignal: AbortSignal) => {
      while (next) {
        // Builds the batch when it may be sent, because the size limit may change meanwhile.
        await limits.enter(workerSignal)
        const buffer = spareBuffers.pop() ?? Buffer.allocUnsafeSlow(MAX_BYTES)
        await deliver(takeBatch(buffer), workerSignal)
        // Only after a response: a request that failed may still be sending.
        if (spareBuffers.length < MAX_SPARE_BUFFERS) spareBuffers.push(buffer)
      }
    }
    /** Waits for a free slot before every retry, so that retries spread out. */
    const deliver = async (batch: EncodedOperation[], workerSignal: AbortSignal): Promise<void> => {
      if (batch.length === 0) return limits.leave()
      let pending = batch
      let progressBefore = progress
      for (let attempt = 1; ; attempt++) {
        if (attempt > 1) await limits.enter(workerSignal)
        const request = bulkRequest(pending, context.located)
        const outcome = await client.attempt(context.doing, request, workerSignal).finally(limits.leave)
        if ('error' in outcome) {
          if (outcome.error.code === 'destination_overloaded') {
            limits.refused()
            refusedWrites.add({ reason: 'overloaded' })
          }
          if (outcome.error.code === 'destination_unreachable') refusedWrites.add({ reason: 'unreachable' })
          // If other requests succeed, the cluster is busy, not down: start counting attempts again.
          if (progress > progressBefore) attempt = 1
          progressBefore = progress
          if (!outcome.error.retryable || attempt >= client.retries.attempts) throw outcome.error
          await sleep(Math.max(outcome.waitMs, backoffMs(client.retries, attempt)), workerSignal)
          continue
        }
        const response = outcome.value
        if (response === TOO_LARGE) {
          refusedWrites.add({ reason: 'too_large' })
          limits.tooLarge(pending.reduce((sum, { body }) => sum + body.length, 0))
          if (pending.length === 1)
            return void rejections.push(...pending.map((operation) => tooLarge(operation, client)))
          const half = Math.ceil(pending.length / 2)
          for (const part of [pending.slice(0, half), pending.slice(half)]) {
            await limits.enter(workerSignal)
            await deliver(part, workerSignal)
          }
          return
        }
        const sorted = sortOutcomes(pending, response, { client, ...context })
        rejections.push(...sorted.rejected)
        if (sorted.retry.length < pending.length) progress++
        if (sorted.retry.length === 0) {
          if (attempt === 1) limits.acceptedAll(response.took)
          return
        }
        limits.refused()
        refusedWrites.add({ reason: 'overloaded' })
        if (progress > progressBefore) attempt = 1
        else if (attempt >= client.retries.attempts) throw overloaded(context.doing, client.address)
        progressBefore = progress
        pending = sorted.retry
        await sleep(backoffMs(client.retries, attempt), workerSignal)
      }
    }

    await runWorkers(MAX_CONCURRENCY, worker, signal)
    return rejections
  }
}

const TOO_LARGE = Symbol('too large')
type Item = { status: number; error?: { type?: string; reason?: string; index_uuid?: string } }
type BulkResponse = { took: number; items: Record<string, Item>[] }

function bulkRequest(
  operations: EncodedOperation[],
  { name, isAlias }: LocatedIndex,
): ClusterCall<BulkResponse | typeof TOO_LARGE> {
  const error = ['type', 'reason', 'index_uuid'].map((field) => `items.*.error.${field}`)
  return {
    method: 'POST',
    path: `${pathOf(name)}/_bulk`,
    query: {
      filter_path: ['took', 'items.*.status', ...error].join(),
      ...(isAlias ? { require_alias: 'true' } : {}),
    },
    chunks: operations.map(({ body }) => body),
    recover: (failure) => (failure instanceof ClusterError && failure.status === 413 ? TOO_LARGE : undefined),
  }
}

type BulkContext = { client: SearchClient; doing: string; located: LocatedIndex }

function sortOutcomes(
  operations: EncodedOperation[],
  response: BulkResponse,
  { client, doing, located }: BulkContext,
) {
  const retry: EncodedOperation[] = []
  const rejected: Rejection[] = []
  for (const [at, operation] of operations.entries()) {
    const [item] = Object.values(response.items[at] ?? {})
    const failure = item && failureOf(item)
    if (failure) {
      if (isAnotherIndex(failure, located)) throw indexReplaced(doing, client.address)
      const whole = wholeIndexError(failure, doing, client.address)
      if (whole) throw whole
    }
    if (!item || (failure && isTransient(failure))) retry.push(operation)
    else if (failure) rejected.push(rejection(operation, failure, client))
  }
  return { retry, rejected }
}

/** A removal of a missing document has a status and no error. */
function failureOf({ status, error }: Item): ClusterFailure | null {
  if (!error) return null
  const { type = `http_${status}`, reason = '', index_uuid } = error
  return { status, type, reason, ...(index_uuid ? { indexUuid: index_uuid } : {}) }
}

function isAnotherIndex({ indexUuid, reason }: ClusterFailure, located: LocatedIndex): boolean {
  if (reason.includes(GUARD_TEMPLATE)) return true
  return !located.isAlias && indexUuid !== undefined && indexUuid !== '_na_' && indexUuid !== located.uuid
}

function rejection(
  { recordId, elementId }: BulkOperation,
  failure: ClusterFailure,
  { address }: SearchClient,
): Rejection {
  const isSuperseded = failure.type === 'version_conflict_engine_exception'
  const what = isSuperseded ? 'a newer version is already in the index' : describe(failure)
  const error = new AppError(
    'destination_rejected',
    `index ${address.index} refused element ${elementId}: ${what}`,
  )
  return { recordId, elementId, kind: isSuperseded ? 'superseded' : 'refused', error }
}

function tooLarge({ recordId, elementId, body }: EncodedOperation, { address }: SearchClient): Rejection {
  const megabytes = (body.length / 1e6).toFixed(1)
  const what = `element ${elementId} is larger (${megabytes} MB) than ${address.hosts} accepts in one request`
  return { recordId, elementId, kind: 'refused', error: new AppError('destination_rejected', what) }
}

function takeNext<T>(iterator: Iterator<T>): T | undefined {
  const { done, value } = iterator.next()
  return done ? undefined : value
}
