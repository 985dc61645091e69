import { useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { z } from 'zod'
import { useNotices } from '../../components/notices.tsx'
import {
  allShortened,
  changedValue,
  hostIn,
  implied,
  isPasted,
  withoutMovedScopes,
} from '../../schema-form/dependent-values.ts'
import { type FieldProps, useForm } from '../../schema-form/form.ts'
import { fieldsIn, followingMode, modeOf } from '../../schema-form/modes.ts'
import { type Field, fieldsOf, type Value, type Values } from '../../schema-form/schema.ts'
import { initialValues, payloadOf, problemsOf, storedSecrets } from '../../schema-form/values.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { focusHeading } from '../../shell/heading-focus.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { schemaConfig } from './connector-type.ts'
import { startCheck } from './queries.ts'
import { type Connector, type ConnectorFormProps, pathOf } from './types.ts'

const texts = connectorsTexts.form
const PREFIX = 'config.'

/** Saves the connector, starts its test and opens its page, or calls `send` instead. */
export function useConnectorForm({ type, existing, copy, draft, send }: ConnectorFormProps) {
  const api = useApi()
  const notices = useNotices()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const base = pathOf(type.kind)

  const modes = type.sign_in_modes
  const isSandbox = existing?.sandbox === true
  // The service keeps the settings of the sandbox.
  const fields = useMemo(() => (isSandbox ? [] : fieldsOf(type.schema)), [type, isSandbox])
  const stored = useMemo(
    () => (existing ? schemaConfig(type, existing.config) : (copy?.config ?? {})),
    [type, existing, copy],
  )
  const storedMode = modeOf(modes, stored)
  const isNew = !existing && !copy
  const defaults = useMemo(
    () => ({ ...initialValues(fields, stored), ...draft?.values }),
    [fields, stored, draft],
  )
  const [{ mode, isChosen }, setChoice] = useState(() => {
    const restored = draft?.mode ?? storedMode
    const start = { mode: restored, isChosen: !isNew || draft?.mode !== undefined }
    return { ...start, mode: followingMode(modes, start, defaults) }
  })
  const shown = fieldsIn(fields, modes, mode)
  const fixed = modes.find(({ id }) => id === mode)?.fixed ?? {}
  // Another mode needs another secret, even in the same field.
  const secretNames = existing && mode === storedMode ? storedSecrets(fields, stored) : []

  const configOf = (values: Values) => ({
    ...payloadOf(shown, values),
    ...fixed,
  })

  const host = useRef(hostIn(fields, defaults))
  /** Values that follow from the addresses. */
  const cut = (values: Values, only?: string): Values => {
    const moved = isNew ? withoutMovedScopes(fields, values, host.current) : {}
    host.current = hostIn(fields, values)
    return { ...moved, ...allShortened(fields, { ...values, ...moved }, only) }
  }

  const form = useForm({
    schema: formSchema(shown, secretNames),
    labels: Object.fromEntries(shown.map(({ name, title }) => [PREFIX + name, title])),
    initial: { name: existing?.name ?? copy?.name ?? draft?.name ?? '', ...withPrefix(defaults) },
    submit: async ({ name, ...values }) => {
      const config = { ...withoutPrefix(values), ...cut(withoutPrefix(values)) }
      form.set(withPrefix(config))
      if (send) return send({ name, type: type.type, config: configOf(config) })
      const sent = { name, ...(isSandbox ? {} : { config: configOf(config) }) }
      const request = existing
        ? api.put<Connector>(`${base}/${existing.id}`, sent)
        : api.post<Connector>(base, { ...sent, type: type.type })
      const saved = await request
      // The connector is saved even if its test cannot start.
      await startCheck(api, type.kind, saved.id).catch(notices.error)
      const outcome = existing ? texts.saved(saved.name) : texts.created(saved.name)
      const hides = (saved.warnings ?? []).map(({ code }) => texts.hides[code])
      notices.success([outcome, ...hides].join(' '))
      await api.refresh(base)
      window.scrollTo({ top: 0 })
      await navigate({
        to: '/w/$workspaceId/connectors/$kind/$connectorId',
        params: { workspaceId, kind: type.kind, connectorId: saved.id },
      })
      // The result of the test is above the form.
      if (existing) focusHeading()
    },
  })

  const values = withoutPrefix(form.values)
  /** Sets fields, and the mode that is usual for them. */
  const change = (changes: Values) => {
    form.set(withPrefix(changes))
    setChoice((now) => {
      const next = followingMode(modes, now, { ...values, ...changes })
      return { mode: next, isChosen: now.isChosen && next === now.mode }
    })
  }
  const chooseMode = (next: string) => {
    setChoice({ mode: next, isChosen: true })
    form.clearErrors()
    form.set(withPrefix((modes.find(({ id }) => id === next)?.fixed ?? {}) as Values))
  }

  const input = (name: string) => {
    const field = fields.find((each) => each.name === name)
    const props = form.field(PREFIX + name) as FieldProps<Value>
    return field ? dependentInput(props, { field, values, isNew, change, cut }) : props
  }

  const scopeField = fields.find(({ widget }) => widget === 'scopes')?.name
  const scopes = scopeField ? [values[scopeField] ?? []].flat().map(String) : []
  const setScopes = (next: string[]) => scopeField && change({ [scopeField]: next })

  const config = configOf(values)
  const snapshot = { name: form.values.name, mode: isChosen ? mode : undefined, values }
  return {
    ...{ form, input, fields, mode, setMode: chooseMode, secretNames, config, values, snapshot },
    ...{ scopes, setScopes },
  }
}

function formSchema(shown: Field[], stored: string[]) {
  return z.looseObject({ name: z.string().trim() }).superRefine((values, context) => {
    if (!values.name) context.addIssue({ code: 'custom', path: ['name'], message: texts.nameMissing })
    const problems = problemsOf(shown, withoutPrefix(values), { stored, messages: texts })
    for (const [name, message] of Object.entries(problems)) {
      context.addIssue({ code: 'custom', path: [PREFIX + name], message })
    }
  })
}

type DependentField = {
  field: Field
  values: Values
  isNew: boolean
  change: (changes: Values) => void
  cut: (values: Values, only: string) => Values
}

/** Props of an input; in a new connector, a value can set other fields too. */
function dependentInput(
  props: FieldProps<Value>,
  { field, values, isNew, change, cut }: DependentField,
): FieldProps<Value> & { onBlur?: () => void } {
  const { name } = field
  const shortened = (value: Value) => {
    const found = cut({ ...values, [name]: value }, name)
    return {
      [name]: value,
      ...found,
      ...(isNew ? implied(field, String(found[name] ?? value), values) : {}),
    }
  }
  if (field.choices) return { ...props, onChange: (next) => change({ [name]: changedValue(next) }) }
  if (field.shortens.length === 0 && field.implies.length === 0) return props
  return {
    ...props,
    onChange: (next) => {
      props.onChange(next)
      const value = changedValue(next)
      if (isPasted(next)) change(shortened(value))
      else if (isNew) change({ [name]: value, ...implied(field, String(value), values) })
    },
    onBlur: () => change(shortened(values[name] ?? '')),
  }
}

function withPrefix(values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [PREFIX + name, value]))
}

function withoutPrefix(values: Record<string, unknown>): Values {
  const own = Object.entries(values).filter(([name]) => name.startsWith(PREFIX))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value as Values[string]]))
}
