import type { Client } from '@elastic/elasticsearch'
import { AppError } from '../../errors.ts'
import type { Rejection } from '../connector.ts'
import { atOnce } from './at-once.ts'
import type { Request, SearchClient } from './client.ts'
import type { Located } from './locate.ts'
import { backoffMs, pause } from './pace.ts'
import { describe, type Failure, indexReplaced, isTransient, ofWholeIndex, overloaded } from './translate.ts'

const START_BYTES = 5_000_000
const LEAST_BYTES = 1_000_000
const MOST_BYTES = 15_000_000
/** A removal is few bytes but costs a node its time; a thousand of them stay far from the timeout. */
const MOST_OPERATIONS = 1000
/** Two: one is worked on by the cluster while the other is on its way. More only fills its queue. */
const AT_ONCE = 2

/** One operation on one element, as lines of a bulk. */
export type Unit = { recordId: string; elementId: string; lines: string[] }

export type Bulk = (
  units: Iterable<Unit>,
  where: { doing: string; located: Located },
  signal: AbortSignal,
) => Promise<Rejection[]>

/** A later task has written the element already: what came now was late, and is not needed. */
export const SUPERSEDED = 'something newer has been written already'

/** Named in every index action; see `locate.ts` for why. */
export const GUARD_TEMPLATE = 'millrace_only_in_a_prepared_index'

/**
 * Sends units in batches measured in bytes, two at a time. An item that the cluster had no room for goes again,
 * one that it refused is answered as a rejection, and a failure that all others would meet is thrown. All
 * operations bear being done twice, so whole requests go again too.
 */
export function createBulk(client: SearchClient): Bulk {
  let target = START_BYTES

  return async (units, where, signal) => {
    const rejections: Rejection[] = []
    const waiting = units[Symbol.iterator]()
    let next = take(waiting)

    const takeBatch = (): Unit[] => {
      const batch: Unit[] = []
      const fits = (unit: Unit) => bytes + sizeOf(unit) <= target && batch.length < MOST_OPERATIONS
      let bytes = 0
      while (next && (batch.length === 0 || fits(next))) {
        bytes += sizeOf(next)
        batch.push(next)
        next = take(waiting)
      }
      return batch
    }
    const worker = async (either: AbortSignal) => {
      for (let batch = takeBatch(); batch.length > 0; batch = takeBatch()) {
        await deliver(batch, either)
      }
    }
    const deliver = async (batch: Unit[], either: AbortSignal): Promise<void> => {
      let pending = batch
      for (let attempt = 1; ; attempt++) {
        const answer = await client.call(where.doing, sending(pending, where.located), either)
        if (answer === TOO_LARGE) {
          target = Math.max(LEAST_BYTES, target / 2)
          if (pending.length === 1)
            return void rejections.push(...pending.map((unit) => tooLarge(unit, client)))
          const half = Math.ceil(pending.length / 2)
          await deliver(pending.slice(0, half), either)
          return deliver(pending.slice(half), either)
        }
        const sorted = sortOutcomes(pending, answer, { client, ...where })
        rejections.push(...sorted.rejected)
        if (sorted.again.length === 0) {
          if (attempt === 1 && answer.took < 1000) target = Math.min(MOST_BYTES, target * 1.25)
          return
        }
        if (attempt >= client.pace.attempts) throw overloaded(where.doing, client.place)
        target = Math.max(LEAST_BYTES, target / 2)
        pending = sorted.again
        await pause(backoffMs(client.pace, attempt), either)
      }
    }

    await atOnce(AT_ONCE, worker, signal)
    return rejections
  }
}

const TOO_LARGE = Symbol('too large')
type Item = { status: number; error?: { type?: string; reason?: string; index_uuid?: string } }
type Answer = { took: number; items: Record<string, Item>[] }

function sending(units: Unit[], located: Located): Request<Answer | typeof TOO_LARGE> {
  const error = ['type', 'reason', 'index_uuid'].map((name) => `items.*.error.${name}`)
  return async (client: Client, options) => {
    try {
      const answer = await client.bulk<string>(
        {
          index: located.name,
          operations: units.flatMap((unit) => unit.lines),
          require_alias: located.isAlias,
          filter_path: ['took', 'items.*.status', ...error],
        },
        options,
      )
      return answer as unknown as Answer
    } catch (failure) {
      if ((failure as { statusCode?: number }).statusCode === 413) return TOO_LARGE
      throw failure
    }
  }
}

type Sending = { client: SearchClient; doing: string; located: Located }

function sortOutcomes(units: Unit[], answer: Answer, { client, doing, located }: Sending) {
  const again: Unit[] = []
  const rejected: Rejection[] = []
  for (const [at, unit] of units.entries()) {
    const [item] = Object.values(answer.items[at] ?? {})
    const failure = item && failureOf(item)
    if (failure) {
      if (isAnotherIndex(failure, located)) throw indexReplaced(doing, client.place)
      const whole = ofWholeIndex(failure, doing, client.place)
      if (whole) throw whole
    }
    if (!item || (failure && isTransient(failure))) again.push(unit)
    else if (failure) rejected.push(rejection(unit, failure, client))
  }
  return { again, rejected }
}

/** Documents that are not there have a status alone; that is no failure of a removal. */
function failureOf({ status, error }: Item): Failure | null {
  if (!error) return null
  const { type = `http_${status}`, reason = '', index_uuid } = error
  return { status, type, reason, ...(index_uuid ? { indexUuid: index_uuid } : {}) }
}

function isAnotherIndex({ indexUuid, reason }: Failure, located: Located): boolean {
  if (reason.includes(GUARD_TEMPLATE)) return true
  return !located.isAlias && indexUuid !== undefined && indexUuid !== '_na_' && indexUuid !== located.uuid
}

function rejection({ recordId, elementId }: Unit, failure: Failure, { place }: SearchClient): Rejection {
  const what = failure.type === 'version_conflict_engine_exception' ? SUPERSEDED : describe(failure)
  const error = new AppError(
    'destination_rejected',
    `index ${place.index} refused element ${elementId}: ${what}`,
  )
  return { recordId, elementId, error }
}

function tooLarge({ recordId, elementId, lines }: Unit, { place }: SearchClient): Rejection {
  const megabytes = (lines.reduce((sum, line) => sum + line.length, 0) / 1e6).toFixed(1)
  const what = `element ${elementId} is larger (${megabytes} MB) than ${place.hosts} takes in one request`
  return { recordId, elementId, error: new AppError('destination_rejected', what) }
}

function sizeOf(unit: Unit): number {
  return unit.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
}

function take<T>(iterator: Iterator<T>): T | undefined {
  const { done, value } = iterator.next()
  return done ? undefined : value
}
