import { jobTexts } from '../../texts/jobs.ts'

const { errors } = jobTexts

/** What an error is called; one the page does not know is called by its code. */
export function errorName(code: string): string {
  return (Object.hasOwn(errors, code) ? errors[code]?.name : undefined) ?? code.replaceAll('_', ' ')
}

export function errorFix(code: string): string | undefined {
  return Object.hasOwn(errors, code) ? errors[code]?.fix : undefined
}

/** The service's messages begin in the middle of a sentence, so that they can be told after one another. */
export function sentence(text: string): string {
  // The name of a setting stays as it is written.
  const capital = /^\w*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}
