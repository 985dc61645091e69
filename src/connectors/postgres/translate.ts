import pg from 'pg'
import { AppError, type ErrorCode } from '../../errors.ts'
import { appErrorIn, describeFailure, type FailureKind } from '../egress/failure.ts'
import { ClearTextRefused } from './driver.ts'

/** Names for messages and statements: `schema` and `table` are quoted for SQL, `name` is as configured. */
export type TableAddress = {
  server: string
  database: string
  username: string
  name: string
  schema: string
  table: string
}

/** `isTransient`: the same statement may succeed later. */
export type DatabaseFailure = { error: AppError; isTransient: boolean }

/** Turns a failure into our error, without text of the server, which may quote rows. */
export function translateFailure(error: unknown, doing: string, address: TableAddress): DatabaseFailure {
  if (error instanceof AppError) return { error, isTransient: false }
  const state = sqlStateOf(error)
  return state === null
    ? connectionFailure(error, doing, address)
    : sqlFailure(state, { error, doing, address })
}

/** Five characters, or null if the failure is not an answer of PostgreSQL. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError)) return null
  return /^[0-9A-Z]{5}$/.test(error.code ?? '') ? error.code! : null
}

/** PostgreSQL refuses a row for what it holds; other rows can be written. */
export class RowRefused extends AppError {
  readonly reason: string
  constructor(what: string, reason: string) {
    super('destination_rejected', `${what}: ${reason}`)
    this.reason = reason
  }
}

type Known = { code: ErrorCode; what: string; fix?: string; isTransient?: true }

function sqlFailure(
  state: string,
  { error, doing, address }: { error: unknown; doing: string; address: TableAddress },
): DatabaseFailure {
  const where = `${doing} table ${address.name} at ${address.server}`
  const known = meaningOf(state, address)
  if (!known) return { error: new RowRefused(where, describeSql(state, error)), isTransient: false }
  const { code, what, fix, isTransient = false } = known
  return { error: new AppError(code, `${where}: ${what}`, { fix }), isTransient }
}

/** The code and the names of columns and constraints, never values. */
function describeSql(state: string, error: unknown): string {
  const { column, constraint } = error as { column?: string; constraint?: string }
  const reason = `${REASONS[state.slice(0, 2)] ?? 'PostgreSQL refuses it'} (SQLSTATE ${state}`
  if (isName(constraint)) return `${reason}, constraint ${constraint})`
  return isName(column) ? `${reason}, column ${column})` : `${reason})`
}

/** By class of SQLSTATE. */
const REASONS: Record<string, string> = {
  '22': 'a value is not valid',
  '23': 'a constraint of the table refuses it',
  '54': 'a value is too long',
  P0: 'a trigger of the table refuses it',
}

function isName(text: string | undefined): text is string {
  return text !== undefined && /^\w{1,63}$/.test(text)
}

function meaningOf(state: string, address: TableAddress): Known | undefined {
  const { database, username, name } = address
  switch (state) {
    case '28P01':
      return {
        code: 'destination_unauthorized',
        what: `the password of ${username} is not accepted`,
        fix: 'Check the user name and the password',
      }
    case '28000':
      return {
        code: 'destination_unauthorized',
        what: `${username} may not sign in to database ${database} from here`,
        fix: 'Check username and ssl_mode, and that pg_hba.conf of the server lets the account in',
      }
    case '3D000':
      return {
        code: 'destination_index_missing',
        what: `database ${database} does not exist`,
        fix: 'Create the database, or correct database',
      }
    case '42P01':
    case '3F000':
      return tableMissing(address)
    case '42501':
      return {
        code: 'destination_unauthorized',
        what: `${username} lacks a privilege`,
        fix: `Run: ${grantCommand(address)}`,
      }
    case '25006':
      return {
        code: 'destination_read_only',
        what: 'the database accepts no writes',
        fix: 'Use the address of the primary server, and check default_transaction_read_only',
      }
    case '53100':
      return {
        code: 'destination_read_only',
        what: 'the disk of the server is full',
        fix: 'Free space on the server, then run the workflow again',
        isTransient: true,
      }
    case '42703':
    case '42704':
    case '42804':
    case '42883':
    case '42P10':
    case '428C9':
      return {
        code: 'destination_schema',
        what: `the columns of ${name} were changed (SQLSTATE ${state})`,
        fix: 'Run the workflow again, which names every column that does not fit',
      }
    default:
      return meaningOfClass(state)
  }
}

function meaningOfClass(state: string): Known | undefined {
  if (/^(53|40)/.test(state) || state === '55P03' || state === '57014' || state === '55006')
    return {
      code: 'destination_overloaded',
      what: `the server is busy (SQLSTATE ${state})`,
      fix: 'Run the job again later, or raise the limits of the server',
      isTransient: true,
    }
  if (/^(08|25P|57|58|XX)/.test(state))
    return {
      code: 'destination_unreachable',
      what: `the server ended the connection (SQLSTATE ${state})`,
      fix: 'Check that the server runs, and read its log',
      isTransient: true,
    }
  return undefined
}

function tableMissing({ name, username }: TableAddress): Known {
  return {
    code: 'destination_index_missing',
    what: 'the table does not exist',
    fix: `Create table ${name} as docs/connectors/postgres.md describes, or give ${username} the privilege to create it`,
  }
}

export function tableMissingError(
  doing: string,
  { address, hasSchema }: { address: TableAddress; hasSchema: boolean },
): AppError {
  const where = `${doing} table ${address.name} at ${address.server}`
  const { code, what, fix = '' } = tableMissing(address)
  if (hasSchema) return new AppError(code, `${where}: ${what}`, { fix })
  const create = `Run: create schema ${address.schema} authorization ${pg.escapeIdentifier(address.username)}`
  return new AppError(code, `${where}: schema ${address.schema} does not exist`, { fix: create })
}

/** A table of this name exists, but not the one that was prepared. */
export function tableReplaced(doing: string, address: TableAddress): AppError {
  return new AppError(
    'destination_index_missing',
    `${doing} table ${address.name} at ${address.server}: the table was emptied, or another now has its name`,
    { fix: 'Run the workflow again with reprocess_all' },
  )
}

/** Statements that run unchanged. */
export function grantCommand({ database, schema, table, username }: TableAddress): string {
  const role = pg.escapeIdentifier(username)
  return [
    `grant connect on database ${pg.escapeIdentifier(database)} to ${role}`,
    `grant usage on schema ${schema} to ${role}`,
    `grant select, insert, update, delete on ${table} to ${role}`,
  ].join('; ')
}

export function policyCommand({ table, username }: TableAddress): string {
  const role = pg.escapeIdentifier(username)
  return `create policy millrace on ${table} to ${role} using (true) with check (true)`
}

function connectionFailure(error: unknown, doing: string, address: TableAddress): DatabaseFailure {
  const refused = appErrorIn(error)
  if (refused?.code === 'egress_refused') return { error: refused, isTransient: false }
  const { what, fix, isTransient } = refused
    ? { what: refused.message, fix: NOT_REACHED, isTransient: true }
    : describeConnection(error)
  const message = `${doing} table ${address.name} at ${address.server}: ${what}`
  return { error: new AppError('destination_unreachable', message, { fix }), isTransient }
}

const NOT_REACHED = 'Check host and port, and that the server runs'
const TLS_FIX =
  'Give the server a certificate (ssl = on), or set ssl_mode to disable for a host that may be unencrypted'
const FIXES: Partial<Record<FailureKind, string>> = {
  other_name: 'Use the name in host that the certificate is for',
  unknown_authority:
    'Put the certificate of the authority that signed the server certificate into ca_certificate',
  certificate_invalid: "Renew the server's certificate, and check the clocks of both machines",
}

type Described = { what: string; fix: string; isTransient: boolean }

export function isWithoutTls(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('The server does not support SSL')
}

/** The driver reports its own failures by text alone. */
function describeConnection(error: unknown): Described {
  const message = error instanceof Error ? error.message : ''
  if (isWithoutTls(error)) return lasting('the server refuses encrypted connections', TLS_FIX)
  if (message.startsWith('SASL'))
    return lasting('the sign-in failed: the server does not prove that it knows the password')
  if (isUnknownSignIn(error))
    return lasting(
      'it asks for a sign-in other than a password',
      'Let the account sign in with scram-sha-256 in pg_hba.conf of the server',
    )
  if ((error as { cause?: unknown } | undefined)?.cause instanceof ClearTextRefused)
    return lasting(
      'it asks for the password in clear text, and its certificate is not checked',
      'Set ssl_mode to verify-full, or to disable if clear text is acceptable',
    )
  if (
    error instanceof TypeError ||
    message.includes('invalid message') ||
    /^(There was an error establishing an SSL|received invalid response)/.test(message)
  )
    return lasting('it does not respond like PostgreSQL')
  if (/timeout/i.test(message))
    return { what: 'it did not respond in time', fix: NOT_REACHED, isTransient: true }
  if (message.startsWith('Connection terminated'))
    return { what: 'the connection was lost', fix: NOT_REACHED, isTransient: true }
  const { kind, message: what } = describeFailure(error)
  return { what, fix: FIXES[kind] ?? NOT_REACHED, isTransient: FIXES[kind] === undefined }
}

/** A failure that stays until a person acts. */
function lasting(what: string, fix = NOT_REACHED): Described {
  return { what, fix, isTransient: false }
}

function isUnknownSignIn(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  return cause instanceof Error && cause.message.startsWith('Unknown authentication')
}
