import type { DescribedTable } from './describe-table.ts'

/** How the table stores vectors: as pgvector's type, or as arrays. */
export type VectorColumn = { kind: 'vector' | 'array'; dims: number }

/** The column `embeddings`, null without one, or why it cannot be used. */
export function vectorColumn({
  columns,
  checks,
}: Pick<DescribedTable, 'columns' | 'checks'>): VectorColumn | null | string {
  const column = columns.get('embeddings')
  if (!column) return null
  if (column.type === 'real[]') {
    const dims = checks.map((each) => Number(WIDTH_CHECK.exec(each)?.[1])).find((each) => each > 0)
    return dims === undefined
      ? 'column embeddings has no constraint for its dimensions'
      : { kind: 'array', dims }
  }
  const vector = /^(?:.+\.)?vector(?:\((\d+)\))?$/.exec(column.type)
  if (!vector) return `column embeddings is ${column.type} instead of vector or real[]`
  return vector[1] === undefined
    ? 'column embeddings has no dimension, as in vector(384)'
    : { kind: 'vector', dims: Number(vector[1]) }
}

const WIDTH_CHECK = /array_length\(embeddings, 1\) = (\d+)/

/** Statements that add the column; `vectorType` is null without pgvector. */
export function addVectors(table: string, dims: number, vectorType: string | null): string {
  return vectorType
    ? `alter table ${table} add column embeddings ${vectorType}(${dims})`
    : `alter table ${table} add column embeddings real[] check (array_length(embeddings, 1) = ${dims})`
}

const FLOAT4_OID = 700
const HEADER_BYTES = 20

/** All vectors as one `real[]` in PostgreSQL's binary format, which takes a tenth of the time of text. */
export function binaryVectors(vectors: number[][]): Buffer {
  const count = vectors.reduce((sum, { length }) => sum + length, 0)
  const bytes = Buffer.allocUnsafe(count === 0 ? 12 : HEADER_BYTES + 8 * count)
  bytes.writeInt32BE(count === 0 ? 0 : 1, 0)
  bytes.writeInt32BE(0, 4)
  bytes.writeInt32BE(FLOAT4_OID, 8)
  if (count === 0) return bytes
  bytes.writeInt32BE(count, 12)
  bytes.writeInt32BE(1, 16)
  let at = HEADER_BYTES
  for (const vector of vectors)
    for (const value of vector) {
      bytes.writeInt32BE(4, at)
      bytes.writeFloatBE(value, at + 4)
      at += 8
    }
  return bytes
}
