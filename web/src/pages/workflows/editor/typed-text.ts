import type { Draft } from '../types.ts'

/** The YAML as a person typed it, with the draft that it belongs to. */
export type TypedText = { text: string; draft: Draft; problems: number }

/** Text with errors is kept until it is corrected or discarded. */
export function hasErrorsLeft(typed: TypedText | null): typed is TypedText {
  return typed !== null && typed.problems > 0
}

/** Whether the text still shows the draft; comments and order are kept then. */
export function isCurrent(typed: TypedText, draft: Draft): boolean {
  return typed.problems > 0 || typed.draft === draft
}
