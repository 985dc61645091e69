import type { FieldProps } from './form.ts'
import type { Field, Value } from './schema.ts'

export type SchemaFieldProps = FieldProps<Value> & {
  field: Field
  disabled?: boolean | undefined
  onBlur?: (() => void) | undefined
  /** Whether a secret is stored. */
  isStored?: boolean | undefined
}
