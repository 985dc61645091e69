import { type AnyOf, anyOf } from '../../../access.ts'
import { forEachLimited } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import type { Checks, Subject } from '../client.ts'
import { undefinedUnlessFatal } from './directory.ts'

const CONCURRENCY = 8

/** The wiki's own permission checks for one page. */
export type PermissionChecks = {
  /** Skips subjects that were checked before. */
  ask(subjects: Iterable<Subject>): Promise<void>
  /** Undefined if the check failed. */
  answer(subject: Subject): boolean | undefined
  passed(): AnyOf
  /** The first failed check. */
  failure(): AppError | null
}

export function createPermissionChecks(
  checks: Checks,
  pageId: string,
  signal: AbortSignal,
): PermissionChecks {
  const answers = new Map<string, { subject: Subject; may: boolean | undefined }>()
  const asked = new Map<string, Promise<void>>()
  let failure: AppError | null = null

  function askOnce(subject: Subject): Promise<void> {
    const key = keyOf(subject)
    const pending = asked.get(key) ?? askOne(subject)
    asked.set(key, pending)
    return pending
  }

  async function askOne(subject: Subject): Promise<void> {
    const may = await checks.may({ pageId, subject, operation: 'read' }, signal).catch((error) => {
      if (error instanceof AppError) failure ??= error
      return undefinedUnlessFatal(error)
    })
    answers.set(keyOf(subject), { subject, may })
  }

  async function ask(subjects: Iterable<Subject>): Promise<void> {
    const open = [...subjects].filter((subject) => !answers.has(keyOf(subject)))
    const [first, ...rest] = open
    if (!first) return
    // If the first check fails, the others would too.
    if (answers.size === 0) await askOnce(first)
    else rest.unshift(first)
    if ([...answers.values()].some(({ may }) => may !== undefined))
      await forEachLimited(rest, CONCURRENCY, askOnce)
  }

  const passing = (kind: 'user' | 'group') =>
    [...answers.values()].flatMap(({ subject, may }) =>
      may && subject.kind !== 'visitor' && subject.kind === kind ? [subject.id] : [],
    )
  return {
    ask,
    answer: (subject) => answers.get(keyOf(subject))?.may,
    passed: () => anyOf(passing('user'), passing('group')),
    failure: () => failure,
  }
}

export const VISITOR: Subject = { kind: 'visitor' }

export type NamedSubject = Exclude<Subject, { kind: 'visitor' }>
export const groupSubjects = (ids: Iterable<string>): NamedSubject[] =>
  [...ids].map((id) => ({ kind: 'group', id }))
export const userSubjects = (ids: Iterable<string>): NamedSubject[] =>
  [...ids].map((id) => ({ kind: 'user', id }))

function keyOf(subject: Subject): string {
  return subject.kind === 'visitor' ? subject.kind : `${subject.kind}:${subject.id}`
}
