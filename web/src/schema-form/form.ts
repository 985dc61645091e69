import { type FormEvent, useEffect, useRef, useState } from 'react'
import * as core from 'zod/v4/core'
import { ApiError, type FieldErrors } from '../service/errors.ts'
import { useRestoredFocus } from '../shell/restored-focus.ts'
import { focusField, type Labels, labelOf, withLabels } from './labels.ts'

// The page's policy forbids building functions from text, as Zod would.
core.config({ jitless: true })

/** From `zod`, or `zod/mini` with a third of its size. */
type FormSchema = core.$ZodType<object, object>

type Options<Schema extends FormSchema> = {
  schema: Schema
  initial: core.input<Schema>
  /** Gets the parsed values. The form shows thrown errors, by field if possible. */
  submit: (values: core.output<Schema>) => Promise<unknown>
  /** Of fields that are not on the screen. */
  labels?: Labels
}

/** An error of a field, for a list above the form; `go` leads to the field. */
export type FieldProblem = { name: string; text: string; go: () => void }
export type FormFailure = { text: string | undefined; problems: FieldProblem[] }

export type FieldProps<Value> = {
  name: string
  value: Value
  error: string | undefined
  'aria-invalid': true | undefined
  onChange: (next: Value | { currentTarget: { value: string } }) => void
}

/** Values and errors of a form, validated on submit and then by the service. */
export function useForm<Schema extends FormSchema>({
  schema,
  initial,
  submit,
  labels = {},
}: Options<Schema>) {
  type Values = core.input<Schema>
  const [values, setValues] = useState<Values>(initial)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [failure, setFailure] = useState<string>()
  const [sending, setSending] = useState(false)
  const [failedSubmits, setFailedSubmits] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  useRestoredFocus(sending)

  // After every failed submit, focuses the first invalid field.
  useEffect(() => {
    const invalid = form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (failedSubmits === 0 || !invalid) return
    invalid.focus({ preventScroll: true })
    // In the middle, so that its label and message are visible too.
    invalid.scrollIntoView({ block: 'center' })
  }, [failedSubmits])

  const allLabels = () => ({ ...labelsIn(form.current, Object.keys(values)), ...labels })

  function fail(found: FieldErrors, line: string | undefined): void {
    const shown = allLabels()
    setErrors(
      Object.fromEntries(Object.entries(found).map(([name, text]) => [name, withLabels(text, name, shown)])),
    )
    setFailure(line)
    setFailedSubmits((before) => before + 1)
  }

  function failWith(error: ApiError): void {
    const names = Object.keys(values)
    const isTaken = error.code === 'name_taken' && names.includes('name')
    const fields = isTaken ? { name: error.message } : errorsByField(error.fields, names)
    const { known, others } = splitErrors(fields, names)
    const shown = allLabels()
    const lines = Object.entries(others).map(([path, text]) => withLabels(text, path, shown))
    if (lines.length === 0 && Object.keys(known).length === 0) lines.push(error.message)
    fail(known, lines.join(' ') || undefined)
  }

  async function onSubmit(event: FormEvent): Promise<void> {
    event.preventDefault()
    // React passes events of a dialog on to the form that contains it.
    event.stopPropagation()
    if (sending) return
    const parsed = core.safeParse(schema, values)
    if (!parsed.success) return fail(fieldErrors(parsed.error), undefined)
    setErrors({})
    setFailure(undefined)
    setSending(true)
    try {
      await submit(parsed.data)
    } catch (error) {
      if (!(error instanceof ApiError))
        return fail({}, error instanceof Error ? error.message : String(error))
      failWith(error)
    } finally {
      setSending(false)
    }
  }

  const problems = Object.entries(errors).map(([name, text]) => ({
    name: labels[name] ?? (form.current && labelOf(name, form.current)) ?? '',
    text,
    go: () => form.current && focusField(name, form.current),
  }))
  // One error is visible at its field, which has the focus.
  const isListed = failure !== undefined || problems.length > 1

  return {
    values,
    sending,
    /** What is wrong with the whole form or several fields; for <FormErrors>. */
    failure: isListed ? ({ text: failure, problems } satisfies FormFailure) : undefined,
    /** For the <form>, without the browser's own messages. */
    form: { ref: form, onSubmit, noValidate: true },
    set: (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes })),
    /** For a change that makes earlier errors wrong, such as another way to sign in. */
    clearErrors: () => {
      setErrors({})
      setFailure(undefined)
    },
    reset: (to: Values = initial) => {
      setValues(to)
      setErrors({})
      setFailure(undefined)
    },
    /** For an input: `<TextInput label="…" {...form.field('name')} />`. */
    field: <Name extends keyof Values & string>(name: Name): FieldProps<Values[Name]> => ({
      name,
      value: values[name],
      error: errors[name],
      // Mantine's password input does not set it.
      'aria-invalid': errors[name] ? true : undefined,
      onChange: (next) => {
        const value = isEvent(next) ? (next.currentTarget.value as Values[Name]) : next
        setValues((now) => ({ ...now, [name]: value }))
        setErrors(({ [name]: _cleared, ...rest }) => rest)
      },
    }),
  }
}

function isEvent(next: unknown): next is { currentTarget: { value: string } } {
  return typeof next === 'object' && next !== null && 'currentTarget' in next
}

export function fieldErrors(error: core.$ZodError): FieldErrors {
  const found: FieldErrors = {}
  for (const { path, message } of error.issues) found[path.join('.')] ??= message
  return found
}

/** An error of a list entry ("hosts.1") belongs to the field of the list. */
export function errorsByField(errors: FieldErrors, names: string[]): FieldErrors {
  const byField: FieldErrors = {}
  for (const [path, message] of Object.entries(errors)) {
    const name = names.find((each) => path === each || path.startsWith(`${each}.`))
    byField[name ?? path] ??= message
  }
  return byField
}

/** Separates errors of fields that this form does not have. */
export function splitErrors(
  fields: FieldErrors,
  names: string[],
): { known: FieldErrors; others: FieldErrors } {
  const [known, others]: [FieldErrors, FieldErrors] = [{}, {}]
  for (const [path, message] of Object.entries(fields)) {
    if (names.includes(path)) known[path] = message
    else others[path] = message
  }
  return { known, others }
}

function labelsIn(form: HTMLFormElement | null, names: string[]): Labels {
  const found = names.map((name) => [name, form ? labelOf(name, form) : undefined])
  return Object.fromEntries(found.filter(([, label]) => label))
}
