import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { AppError, type ErrorCode } from '../../errors.ts'
import type { Egress, EgressResponse } from '../egress.ts'
import { askedWaitMs, backoffMs, createPace } from './pacing.ts'
import { follow, type Query, type Site, within } from './site.ts'

/** One question to the wiki; `doing` completes "while …" for people. */
export type Question<T> = {
  doing: string
  path: string
  query?: Query
  /** Asked as a POST with this as JSON. */
  body?: object
  /** Fewer than usual, where an answer that fails is likely to stay. */
  tries?: number
  answer: z.ZodType<T>
}

export type Transport = {
  site: Site
  ask<T>(question: Question<T>, signal: AbortSignal): Promise<T>
  /** Every page of a list behind `_links.next`, to its end. */
  askAll<T extends Linked>(question: Question<T>, signal: AbortSignal): AsyncGenerator<T>
}
export type Linked = { _links?: { next?: string | null } | null }

export type TransportOptions = {
  tries?: number
  /** Before the second try; doubles from there. */
  firstWaitMs?: number
  timeoutMs?: number
}

const MAX_BYTES = 64 * 1024 * 1024
/** All waits of one question together; a wiki that wants more than that is left alone until the next run. */
const MOST_WAIT_MS = 5 * 60_000
/** Above it a list that goes on is a server that goes round in circles: 25 million pages at 250 each. */
const MOST_PAGES = 100_000

export function createTransport(
  access: { site: Site; authorization: string | null; egress: Egress },
  options: TransportOptions = {},
): Transport {
  const { site, authorization, egress } = access
  const { tries = 6, firstWaitMs = 500, timeoutMs = 60_000 } = options
  const pace = createPace()
  const headers = { ...(authorization ? { authorization } : {}), accept: 'application/json' }

  async function once({ doing, body }: Asked, url: URL, signal: AbortSignal): Promise<Attempt> {
    const turn = await pace.enter(signal)
    const started = Date.now()
    try {
      const request = body ? posting(headers, body) : { headers }
      const response = await egress.request(url, { ...request, maxBytes: MAX_BYTES, timeoutMs }, signal)
      const attempt = await judge(doing, response, site)
      if ('json' in attempt) turn.wentWell()
      if (response.status === 429) turn.throttled(attempt.waitMs ?? 0)
      return attempt
    } catch (error) {
      signal.throwIfAborted()
      return broken(doing, error, Date.now() - started >= timeoutMs)
    } finally {
      turn.leave()
    }
  }

  async function json(asked: Asked, url: URL, signal: AbortSignal): Promise<unknown> {
    const most = Math.min(tries, asked.tries ?? tries)
    let waited = 0
    for (let attempt = 1; ; attempt++) {
      const outcome = await once(asked, url, signal)
      if ('json' in outcome) return outcome.json
      const waitMs = Math.max(outcome.waitMs ?? 0, backoffMs(attempt, firstWaitMs))
      waited += waitMs
      if (attempt >= Math.min(most, outcome.tries) || waited > MOST_WAIT_MS) throw outcome.error
      await sleep(waitMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }

  async function parsed<T>(question: Question<T>, url: URL, signal: AbortSignal): Promise<T> {
    const result = question.answer.safeParse(await json(question, url, signal))
    if (result.success) return result.data
    // Where and what kind, never the value: an answer may hold anything.
    const at = result.error.issues[0]?.path.join('.') || 'the top'
    throw new AppError(
      'source_misread',
      `${question.doing}: the answer of ${site.name} has another shape at ${at}`,
    )
  }

  return {
    site,
    ask: (question, signal) => parsed(question, within(site, question.path, question.query), signal),
    askAll: async function* (question, signal) {
      let url = within(site, question.path, question.query)
      const seen = new Set<string>()
      for (let page = 0; page < MOST_PAGES; page++) {
        seen.add(url.href)
        const answer = await parsed(question, url, signal)
        yield answer
        const next = answer._links?.next
        if (!next) return
        url = follow(site, next, url)
        if (seen.has(url.href)) break
      }
      throw new AppError(
        'source_misread',
        `${question.doing}: the list of ${site.name} goes round in circles`,
      )
    },
  }
}

type Asked = Pick<Question<unknown>, 'doing' | 'body' | 'tries'>

function posting(headers: Record<string, string>, body: object) {
  return {
    method: 'POST' as const,
    // Data Center takes a post without the second header for one that another site's page sent.
    headers: { ...headers, 'content-type': 'application/json', 'x-atlassian-token': 'no-check' },
    body: JSON.stringify(body),
  }
}

/** What one try came to: an answer, or an error with how often it is worth trying in all. */
type Attempt = { json: unknown; waitMs?: number } | { error: AppError; tries: number; waitMs?: number }

async function judge(doing: string, response: EgressResponse, site: Site): Promise<Attempt> {
  const { status, headers } = response
  const failed = (code: ErrorCode, why: string, tries: number, fix?: string): Attempt => ({
    error: new AppError(code, `${doing}: ${site.name} ${why}`, {
      cause: { status } satisfies Refusal,
      ...(fix ? { fix } : {}),
    }),
    tries,
    waitMs: askedWaitMs(headers, Date.now()) ?? undefined,
  })
  // After too many wrong passwords Data Center takes no password until somebody solved a captcha.
  if ((status === 401 || status === 403) && headers.has('x-authentication-denied-reason'))
    return failed('source_unauthorized', `wants a captcha solved before it signs in (${status})`, 1, CAPTCHA)
  // The gateway says 401 as well where the token is good but was not made for this.
  if (status === 401 && /scope does not match/i.test(await response.text()))
    return failed('source_forbidden', 'says that the token lacks a scope (401)', 1, SCOPES)
  if (status === 401) return failed('source_unauthorized', 'refused the credentials (401)', 1, SIGN_IN)
  if (status === 403) return failed('source_forbidden', 'does not allow it (403)', 1, RIGHTS)
  if (status === 404)
    return failed('source_not_found', 'says there is no such thing, or none to see (404)', 1)
  if (status === 429) return failed('source_unreachable', 'asks to come back later (429)', Infinity)
  if (status === 502 || status === 503)
    return failed('source_unreachable', `is not available (${status})`, Infinity)
  // A page that cannot be rendered answers 500 or 504 for ever: that is the page's failure, not the wiki's.
  if (status === 504) return failed('source_failed', 'did not finish in time (504)', 4)
  if (status >= 500) return failed('source_failed', `failed (${status})`, 3)
  if (status < 200 || status >= 300) return failed('source_failed', `answered ${status}`, 1)

  const type = headers.get('content-type') ?? ''
  if (/html/i.test(type)) {
    return failed(
      'source_unauthorized',
      'answered with a web page (its sign-in, or no wiki at all) instead of data',
      1,
      SIGN_IN,
    )
  }
  const text = await response.text()
  try {
    return { json: JSON.parse(text) }
  } catch {
    return failed('source_misread', 'sent an answer that is cut off or is no JSON', 4)
  }
}

const SIGN_IN =
  'Check username and token, that the token has not expired, and that url is the address of the wiki'
const RIGHTS = 'Give the account the right to see it'
const CAPTCHA =
  'Sign in once in a browser as the account and solve the captcha, or use a personal access token'
const SCOPES =
  'Make a token with the scopes read:space, read:space.permission, read:page, read:hierarchical-content, ' +
  'read:content.restriction, read:content.metadata, read:label, read:group, read:user and search:confluence'

function broken(doing: string, error: unknown, timedOut: boolean): Attempt {
  if (!(error instanceof AppError)) {
    const told = new AppError('source_unreachable', `${doing}: the connection failed`, { cause: error })
    return { error: told, tries: Infinity }
  }
  const code = timedOut ? 'source_failed' : error.code
  const told = new AppError(code, `${doing}: ${error.message}`, { cause: error, fix: error.fix })
  if (timedOut) return { error: told, tries: 2 }
  if (isTooLong(error) || error.code === 'egress_refused' || isTls(error)) return { error: told, tries: 1 }
  return { error: told, tries: Infinity }
}

/** The cause of an error that stands for an answer. */
type Refusal = { status: number }

/** The status of the answer behind an error, where there was one. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof AppError ? (error.cause as Partial<Refusal> | undefined)?.status : null
  return typeof status === 'number' ? status : null
}

/** The answer was longer than is read at once: asking for less may help, asking again does not. */
export function isTooLong(error: unknown): boolean {
  return error instanceof AppError && error.code === 'source_answer_too_long'
}

export function isMissing(error: unknown): boolean {
  return error instanceof AppError && error.code === 'source_not_found'
}

function isTls(error: AppError): boolean {
  const code = (error.cause as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /CERT|_TLS_|_SSL_|SELF_SIGNED|UNABLE_TO/.test(code)
}
