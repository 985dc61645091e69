import assert from 'node:assert/strict'
import type { Answer } from './api.ts'

/** The body of a response that has to succeed. */
export function answered<T>({ status, body, text }: Answer<T>): T {
  assert.equal(status, 200, text)
  return body
}

export function refused({ status, text }: Answer, wanted: number, words?: RegExp): void {
  assert.equal(status, wanted, text)
  if (words) assert.match(text, words)
}

export type Refusal = { detail: { loc: (string | number)[]; msg: string; type: string }[] }

/** A 422 whose message names this field. */
export function refusedAt({ status, body, text }: Answer<Refusal>, place: RegExp): void {
  assert.equal(status, 422, text)
  assert.ok(Array.isArray(body.detail), text)
  assert.ok(
    body.detail.some((each) => place.test(each.loc.join('.'))),
    `${text} names ${place}`,
  )
  for (const each of body.detail) assert.ok(each.msg && each.type, text)
}
