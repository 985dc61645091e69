import { runWorkers } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import { backoffMs } from '../../../retry.ts'
import type { Rejection } from '../../connector.ts'
import type { ClusterCall, SearchClient } from '../client.ts'
import { GUARD_TEMPLATE } from '../engines/elasticsearch.ts'
import {
  type ClusterFailure,
  describe,
  indexReplaced,
  isTransient,
  ofWholeIndex,
  overloaded,
} from '../translate.ts'
import { ClusterError } from '../transport.ts'
import { createBulkLimits, MAX_CONCURRENCY } from './gate.ts'
import { type Located, pathOf } from './locate.ts'
import { pause } from './pace.ts'

/** Removals are small but slow; a thousand stay far from the timeout. */
const MAX_OPERATIONS = 1000

/** One operation on one element, as lines of a bulk. */
export type Unit = { recordId: string; elementId: string; lines: string[] }

export type Bulk = (
  units: Iterable<Unit>,
  where: { doing: string; located: Located },
  signal: AbortSignal,
) => Promise<Rejection[]>

/** A later task has already written the element. */
export const SUPERSEDED = 'a newer version is already in the index'

/**
 * Sends operations in batches, several at a time. Retries items without room, returns rejected ones.
 * Operations are idempotent.
 */
export function createBulk(client: SearchClient): Bulk {
  const gate = createBulkLimits()
  /** Grows with every request that the cluster took at least partly. */
  let progress = 0

  return async (units, where, signal) => {
    const rejections: Rejection[] = []
    const waiting = units[Symbol.iterator]()
    let next = take(waiting)

    const takeBatch = (): Unit[] => {
      const batch: Unit[] = []
      const fits = (unit: Unit) => bytes + sizeOf(unit) <= gate.bytes && batch.length < MAX_OPERATIONS
      let bytes = 0
      while (next && (batch.length === 0 || fits(next))) {
        bytes += sizeOf(next)
        batch.push(next)
        next = take(waiting)
      }
      return batch
    }
    const worker = async (either: AbortSignal) => {
      while (next) {
        // Built only when there is room, as large as fits then.
        await gate.enter(either)
        await deliver(takeBatch(), either)
      }
    }
    /** Waits for room before every retry, so that refused batches spread out. */
    const deliver = async (batch: Unit[], either: AbortSignal): Promise<void> => {
      if (batch.length === 0) return gate.leave()
      let pending = batch
      let before = progress
      for (let attempt = 1; ; attempt++) {
        if (attempt > 1) await gate.enter(either)
        const request = bulkRequest(pending, where.located)
        const outcome = await client.attempt(where.doing, request, either).finally(gate.leave)
        if ('error' in outcome) {
          if (outcome.error.code === 'destination_overloaded') gate.refused()
          // Progress elsewhere means busy, not down; give up only without any progress.
          if (progress > before) attempt = 1
          before = progress
          if (!outcome.error.retryable || attempt >= client.pace.attempts) throw outcome.error
          await pause(Math.max(outcome.waitMs, backoffMs(client.pace, attempt)), either)
          continue
        }
        const answer = outcome.value
        if (answer === TOO_LARGE) {
          gate.tooLarge(pending.reduce((sum, unit) => sum + sizeOf(unit), 0))
          if (pending.length === 1)
            return void rejections.push(...pending.map((unit) => tooLarge(unit, client)))
          const half = Math.ceil(pending.length / 2)
          for (const part of [pending.slice(0, half), pending.slice(half)]) {
            await gate.enter(either)
            await deliver(part, either)
          }
          return
        }
        const sorted = sortOutcomes(pending, answer, { client, ...where })
        rejections.push(...sorted.rejected)
        if (sorted.retry.length < pending.length) progress++
        if (sorted.retry.length === 0) {
          if (attempt === 1) gate.tookAll(answer.took)
          return
        }
        gate.refused()
        if (progress > before) attempt = 1
        else if (attempt >= client.pace.attempts) throw overloaded(where.doing, client.place)
        before = progress
        pending = sorted.retry
        await pause(backoffMs(client.pace, attempt), either)
      }
    }

    await runWorkers(MAX_CONCURRENCY, worker, signal)
    return rejections
  }
}

const TOO_LARGE = Symbol('too large')
type Item = { status: number; error?: { type?: string; reason?: string; index_uuid?: string } }
type Answer = { took: number; items: Record<string, Item>[] }

function bulkRequest(units: Unit[], { name, isAlias }: Located): ClusterCall<Answer | typeof TOO_LARGE> {
  const error = ['type', 'reason', 'index_uuid'].map((field) => `items.*.error.${field}`)
  return {
    method: 'POST',
    path: `${pathOf(name)}/_bulk`,
    query: {
      filter_path: ['took', 'items.*.status', ...error].join(),
      ...(isAlias ? { require_alias: 'true' } : {}),
    },
    lines: units.flatMap((unit) => unit.lines),
    settles: (failure) => (failure instanceof ClusterError && failure.status === 413 ? TOO_LARGE : undefined),
  }
}

type BulkContext = { client: SearchClient; doing: string; located: Located }

function sortOutcomes(units: Unit[], answer: Answer, { client, doing, located }: BulkContext) {
  const retry: Unit[] = []
  const rejected: Rejection[] = []
  for (const [at, unit] of units.entries()) {
    const [item] = Object.values(answer.items[at] ?? {})
    const failure = item && failureOf(item)
    if (failure) {
      if (isAnotherIndex(failure, located)) throw indexReplaced(doing, client.place)
      const whole = ofWholeIndex(failure, doing, client.place)
      if (whole) throw whole
    }
    if (!item || (failure && isTransient(failure))) retry.push(unit)
    else if (failure) rejected.push(rejection(unit, failure, client))
  }
  return { retry, rejected }
}

/** A removal of a missing document has a status and no error. */
function failureOf({ status, error }: Item): ClusterFailure | null {
  if (!error) return null
  const { type = `http_${status}`, reason = '', index_uuid } = error
  return { status, type, reason, ...(index_uuid ? { indexUuid: index_uuid } : {}) }
}

function isAnotherIndex({ indexUuid, reason }: ClusterFailure, located: Located): boolean {
  if (reason.includes(GUARD_TEMPLATE)) return true
  return !located.isAlias && indexUuid !== undefined && indexUuid !== '_na_' && indexUuid !== located.uuid
}

function rejection(
  { recordId, elementId }: Unit,
  failure: ClusterFailure,
  { place }: SearchClient,
): Rejection {
  const what = failure.type === 'version_conflict_engine_exception' ? SUPERSEDED : describe(failure)
  const error = new AppError(
    'destination_rejected',
    `index ${place.index} refused element ${elementId}: ${what}`,
  )
  return { recordId, elementId, error }
}

function tooLarge({ recordId, elementId, lines }: Unit, { place }: SearchClient): Rejection {
  const megabytes = (lines.reduce((sum, line) => sum + line.length, 0) / 1e6).toFixed(1)
  const what = `element ${elementId} is larger (${megabytes} MB) than ${place.hosts} accepts in one request`
  return { recordId, elementId, error: new AppError('destination_rejected', what) }
}

function sizeOf(unit: Unit): number {
  return unit.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}

function take<T>(iterator: Iterator<T>): T | undefined {
  const { done, value } = iterator.next()
  return done ? undefined : value
}
