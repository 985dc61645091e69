import { forEachLimited } from '../../../concurrency.ts'
import { AppError } from '../../../errors.ts'
import { type AnyOf, anyOf } from '../../../permissions/principals.ts'
import type { PermissionChecksClient, Subject } from '../client.ts'
import { undefinedUnlessFatal } from './directory.ts'

const CONCURRENCY = 8

export type PermissionChecks = ReturnType<typeof createPermissionChecks>

/** The wiki's own permission checks for one page. */
export function createPermissionChecks(client: PermissionChecksClient, pageId: string, signal: AbortSignal) {
  const results = new Map<string, { subject: Subject; may: boolean | undefined }>()
  const started = new Map<string, Promise<void>>()
  let failure: AppError | null = null

  function checkOnce(subject: Subject): Promise<void> {
    const key = keyOf(subject)
    const pending = started.get(key) ?? checkOne(subject)
    started.set(key, pending)
    return pending
  }

  async function checkOne(subject: Subject): Promise<void> {
    const may = await client
      .checkPermission({ pageId, subject, operation: 'read' }, signal)
      .catch((error) => {
        if (error instanceof AppError) failure ??= error
        return undefinedUnlessFatal(error)
      })
    results.set(keyOf(subject), { subject, may })
  }

  /** Skips subjects that were checked before. */
  async function check(subjects: Iterable<Subject>): Promise<void> {
    const unchecked = [...subjects].filter((subject) => !results.has(keyOf(subject)))
    const [first, ...rest] = unchecked
    if (!first) return
    if (failure?.code === 'source_forbidden') return
    // If the first check fails, the others would too.
    if (!hasAnswer()) await checkOnce(first)
    else rest.unshift(first)
    if (hasAnswer()) await forEachLimited(rest, CONCURRENCY, checkOnce)
  }

  const hasAnswer = () => [...results.values()].some(({ may }) => may !== undefined)
  const passing = (kind: 'user' | 'group') =>
    [...results.values()].flatMap(({ subject, may }) =>
      may && subject.kind !== 'visitor' && subject.kind === kind ? [subject.id] : [],
    )
  return {
    check,
    /** Undefined if the check failed. */
    resultOf: (subject: Subject) => results.get(keyOf(subject))?.may,
    passed: () => anyOf(passing('user'), passing('group')),
    /** The first failed check. */
    failure: () => failure,
  }
}

export const VISITOR: Subject = { kind: 'visitor' }

export type NamedSubject = Exclude<Subject, { kind: 'visitor' }>
export const groupSubjects = (ids: Iterable<string>): NamedSubject[] =>
  [...ids].map((id) => ({ kind: 'group', id }))
export const userSubjects = (ids: Iterable<string>): NamedSubject[] =>
  [...ids].map((id) => ({ kind: 'user', id }))

export const subjectsOf = ({ users, groups }: AnyOf): NamedSubject[] => [
  ...groupSubjects(groups),
  ...userSubjects(users),
]

function keyOf(subject: Subject): string {
  return subject.kind === 'visitor' ? subject.kind : `${subject.kind}:${subject.id}`
}
