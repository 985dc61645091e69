import type { FieldProps } from './form.ts'
import type { Field, Value } from './schema.ts'

export type SchemaFieldProps = FieldProps<Value> & {
  field: Field
  disabled?: boolean | undefined
  /** A stored secret, kept unless replaced. */
  kept?: boolean | undefined
}
