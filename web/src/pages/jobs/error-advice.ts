import { jobTexts } from '../../texts/jobs.ts'

const { errors } = jobTexts

/** Unknown codes are shown as words. */
export function errorName(code: string): string {
  return (Object.hasOwn(errors, code) ? errors[code]?.name : undefined) ?? code.replaceAll('_', ' ')
}

export function errorFix(code: string): string | undefined {
  return Object.hasOwn(errors, code) ? errors[code]?.fix : undefined
}

/** Service messages start lowercase and have no full stop. */
export function sentence(text: string): string {
  // Setting names keep their spelling.
  const capital = /^\w*_/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}
