import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { AppError, type FieldError } from '../../../errors.ts'
import { neutralized, withoutApostrophe } from '../../http/csv.ts'

/** A row of an import: a person by address, by claim, or both. */
export type IdentityEntry = { email?: string | undefined; claim?: string | undefined; account: string }

const COLUMNS = ['email', 'claim', 'account'] as const
/** A wrong table has the same error in every row. */
export const MAX_ERRORS = 20
export const MAX_ENTRIES = 50_000
const MAX_LENGTH = 255
const ADDRESS = /^\S+@\S+$/

/** Why an entry cannot be stored, by field. */
export function entryProblems({ email, claim, account }: IdentityEntry): { field: string; msg: string }[] {
  return [
    ...(email === undefined && claim === undefined
      ? [{ field: 'email', msg: 'an email or a claim is needed' }]
      : []),
    ...(email !== undefined && !ADDRESS.test(email.trim())
      ? [{ field: 'email', msg: 'is not an e-mail address' }]
      : []),
    ...Object.entries({ email, claim, account }).flatMap(([field, value]) => lengthProblem(field, value)),
  ]
}

function lengthProblem(field: string, value: string | undefined): { field: string; msg: string }[] {
  if (value === undefined) return []
  if (value.trim() === '') return [{ field, msg: 'is empty' }]
  if (value.length > MAX_LENGTH) return [{ field, msg: `has more than ${MAX_LENGTH} characters` }]
  return /\p{Cc}/u.test(value) ? [{ field, msg: 'has control characters' }] : []
}

type CsvRow = { record: string[]; info: { lines: number } }

/** Reads a table with a header row; errors name the line. */
export function readIdentityCsv(text: string): IdentityEntry[] {
  const [header, ...rows] = parseRows(text)
  const columns = header?.record.map((name) => name.toLowerCase()) ?? []
  const unknown = columns.find((name) => !COLUMNS.includes(name as never))
  if (unknown !== undefined)
    throw refuse([lineError(1, `the column "${unknown.slice(0, 50)}" is not known; ${COLUMN_RULE}`)])
  if (!columns.includes('account') || columns.length < 2 || new Set(columns).size < columns.length)
    throw refuse([lineError(1, COLUMN_RULE)])
  if (rows.length > MAX_ENTRIES)
    throw refuse([{ loc: ['body'], msg: `has more than ${MAX_ENTRIES} rows`, type: 'too_long' }])
  const problems: FieldError[] = []
  const entries = rows.map(({ record, info }) => {
    const entry = entryOf(columns, record)
    for (const { field, msg } of entryProblems(entry)) problems.push(lineError(info.lines, `${field} ${msg}`))
    return entry
  })
  if (problems.length > 0) throw refuse(problems.slice(0, MAX_ERRORS))
  return entries
}

const COLUMN_RULE = 'the first line has the columns account, and email or claim'

function entryOf(columns: string[], record: string[]): IdentityEntry {
  const cell = (name: string) => {
    const at = columns.indexOf(name)
    return at < 0 ? undefined : withoutApostrophe(record[at] ?? '') || undefined
  }
  return { email: cell('email'), claim: cell('claim'), account: cell('account') ?? '' }
}

function parseRows(text: string): CsvRow[] {
  const [first = ''] = text.split('\n', 1)
  // Spreadsheets of some countries separate by semicolon.
  const delimiter = [',', ';', '\t'].find((each) => first.includes(each)) ?? ','
  try {
    // With `info`, the library returns records with their lines.
    return parse(text, { bom: true, delimiter, info: true, skip_empty_lines: true, trim: true }) as never
  } catch (error) {
    const line = (error as { lines?: number }).lines ?? 1
    throw refuse([lineError(line, 'is not a row of a CSV table with the columns of the first line')])
  }
}

function lineError(line: number, msg: string): FieldError {
  return { loc: ['body', 'line', line], msg: `line ${line}: ${msg}`, type: 'value_error' }
}

function refuse(fields: FieldError[]): AppError {
  return new AppError('invalid_request', 'reading the CSV table', { fields })
}

/** The same columns as an import. */
export function writeIdentityHeader(): string {
  return `${COLUMNS.join()}\r\n`
}

/** A spreadsheet would run a cell that begins like a formula. */
export function writeIdentityRows(rows: { kind: string; value: string; account: string }[]): string {
  const lines = rows.map(({ kind, value, account }) =>
    (kind === 'email' ? [value, '', account] : ['', value, account]).map(neutralized),
  )
  return stringify(lines, { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })
}
