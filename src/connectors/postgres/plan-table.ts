import type { DescribedTable, FoundDatabase } from './describe-table.ts'
import { COLUMNS, type ColumnSpec, columnDefinition, createIndex, INDEXES } from './table.ts'
import { vectorColumn } from './vectors.ts'

/** `add` are statements without which the table cannot be used; `improve` only make it faster. */
export type TablePlan = {
  problems: string[]
  add: string[]
  improve: string[]
  /** The dimensions of a column that has to be added. */
  addVectors: number | null
}

/** `dims` is `unknown` in a check, which knows no workflow. */
export function planTable(
  { found, table }: { found: DescribedTable; table: string },
  dims: number | null | 'unknown',
): TablePlan {
  if (found.kind !== 'r' && found.kind !== 'p')
    return { problems: ['it is not a table'], add: [], improve: [], addVectors: null }
  const missing = COLUMNS.filter(({ name }) => !found.columns.has(name))
  const addable = missing.filter(isAddable)
  const vectors = vectorProblems(found, dims)
  const indexes = INDEXES.filter(({ definition }) => !found.indexes.some((each) => each.includes(definition)))
  const problems = [
    ...missing
      .filter((column) => !isAddable(column))
      .map(({ name, type }) => `column ${name} (${type}) is missing`),
    ...COLUMNS.flatMap((column) => columnProblems(column, found)),
    ...(found.columns.has('id') && !found.hasKey ? ['column id is not the primary key'] : []),
    ...otherColumns(found),
    ...found.differentParts.map((name) => `table ${short(name)} has another column access`),
    ...vectors.problems,
  ]
  const needsOwner = addable.length > 0 || vectors.add !== null
  if (problems.length === 0 && needsOwner && !found.isOwner) {
    const names = [...addable.map(({ name }) => name), ...(vectors.add === null ? [] : ['embeddings'])]
    problems.push(`columns ${names.join(', ')} are missing, and only the owner of the table can add them`)
  }
  return {
    problems,
    add: addable.map((column) => `alter table ${table} add column ${columnDefinition(column)}`),
    improve: indexes.map((index) => createIndex(table, index)),
    addVectors: vectors.add,
  }
}

/** Rows of others have no value for the rest. */
function isAddable({ required, default: value }: ColumnSpec): boolean {
  return !required || value !== undefined
}

function columnProblems(spec: ColumnSpec, { columns }: DescribedTable): string[] {
  const column = columns.get(spec.name)
  if (!column) return []
  if (column.type !== spec.type) return [`column ${spec.name} is ${column.type} instead of ${spec.type}`]
  if (spec.generated && column.generated === null)
    return [`column ${spec.name} is not generated as in docs/index-bodies/postgres.sql`]
  if (!spec.generated && column.generated !== null) return [`column ${spec.name} is generated`]
  if (spec.printed && column.generated !== spec.printed)
    return [`column ${spec.name} is generated as ${short(column.generated)} instead of ${spec.generated}`]
  if (!spec.required && !spec.generated && column.isRequired)
    return [`column ${spec.name} does not allow null`]
  return []
}

function otherColumns({ columns }: DescribedTable): string[] {
  const ours = new Set(['embeddings', ...COLUMNS.map(({ name }) => name)])
  return [...columns.values()]
    .filter(({ name, isRequired, hasDefault }) => !ours.has(name) && isRequired && !hasDefault)
    .map(({ name }) => `column ${short(name)} needs a value that Millrace does not have`)
}

function vectorProblems(
  found: DescribedTable,
  dims: number | null | 'unknown',
): { problems: string[]; add: number | null } {
  const column = vectorColumn(found)
  if (typeof column === 'string') return { problems: [column], add: null }
  if (dims === null || dims === 'unknown') return { problems: [], add: null }
  if (column === null) return { problems: [], add: dims }
  if (column.dims === dims) return { problems: [], add: null }
  const what = `column embeddings has ${column.dims} dimensions, and the workflow's embedder ${dims}`
  return { problems: [what], add: null }
}

/** Names and expressions of the table, as one short line. */
function short(text: string | null): string {
  return (text ?? '').replace(/[^\x20-\x7e]+/g, '?').slice(0, 80)
}

/** Why the database cannot be written, whatever the table is. */
export function readOnlyReason({ isStandby, isReadOnly }: FoundDatabase): string | null {
  if (isStandby) return 'the server is a standby, which accepts no writes'
  return isReadOnly ? 'transactions are read-only by default (default_transaction_read_only)' : null
}

/** Texts of any language need it. */
export function encodingProblem({ encoding }: FoundDatabase): string[] {
  return encoding === 'UTF8' ? [] : [`its database has the encoding ${encoding} instead of UTF8`]
}
