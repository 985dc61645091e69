import assert from 'node:assert/strict'
import type { ApiResponse } from './api.ts'

/** The body of a response that has to succeed. */
export function okBody<T>({ status, body, text }: ApiResponse<T>): T {
  assert.equal(status, 200, text)
  return body
}

export function assertRefused({ status, text }: ApiResponse, wanted: number, words?: RegExp): void {
  assert.equal(status, wanted, text)
  if (words) assert.match(text, words)
}

export type Refusal = { detail: { loc: (string | number)[]; msg: string; type: string }[] }

/** A 422 whose message names this field. */
export function assertFieldRefused({ status, body, text }: ApiResponse<Refusal>, place: RegExp): void {
  assert.equal(status, 422, text)
  assert.ok(Array.isArray(body.detail), text)
  assert.ok(
    body.detail.some((each) => place.test(each.loc.join('.'))),
    `${text} does not name ${place}`,
  )
  for (const each of body.detail) assert.ok(each.msg && each.type, text)
}
