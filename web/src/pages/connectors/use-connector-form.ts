import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { z } from 'zod'
import { useNotices } from '../../components/notices.tsx'
import { type FieldProps, useForm } from '../../schema-form/form.ts'
import { fieldsIn, modeOf } from '../../schema-form/modes.ts'
import { fieldsOf, type Value, type Values } from '../../schema-form/schema.ts'
import { atFields, initialValues, payloadOf, problemsOf, storedSecrets } from '../../schema-form/values.ts'
import { ApiError } from '../../service/errors.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { focusHeading } from '../../shell/arrival-focus.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { schemaConfig } from './connector-type.ts'
import { startCheck } from './queries.ts'
import { type Connector, type ConnectorFormProps, pathOf } from './types.ts'

const texts = connectorsTexts.form
const PREFIX = 'config.'

/** Saves the connector, then starts its test and opens its page. */
export function useConnectorForm({ type, existing, copy }: ConnectorFormProps) {
  const api = useApi()
  const notices = useNotices()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const base = pathOf(type.kind)

  const modes = type.sign_in_modes
  const fields = useMemo(() => fieldsOf(type.schema), [type])
  const stored = useMemo(
    () => (existing ? schemaConfig(type, existing.config) : (copy?.config ?? {})),
    [type, existing, copy],
  )
  const storedMode = modeOf(modes, stored)
  const [mode, setMode] = useState(storedMode)
  const shown = fieldsIn(fields, modes, mode)
  const fixed = modes.find(({ id }) => id === mode)?.fixed ?? {}
  // Another mode needs another secret, even in the same field.
  const kept = existing && mode === storedMode ? storedSecrets(fields, stored) : []

  const configOf = (values: Values) => ({
    ...payloadOf(shown, values),
    ...fixed,
  })

  const schema = z.looseObject({ name: z.string().trim() }).superRefine((values, context) => {
    if (!values.name) context.addIssue({ code: 'custom', path: ['name'], message: texts.nameMissing })
    const problems = problemsOf(shown, withoutPrefix(values), { kept, words: texts })
    for (const [name, message] of Object.entries(problems)) {
      context.addIssue({ code: 'custom', path: [PREFIX + name], message })
    }
  })

  async function save(name: string, config: Record<string, unknown>): Promise<Connector> {
    try {
      return existing
        ? await api.put<Connector>(`${base}/${existing.id}`, { name, config })
        : await api.post<Connector>(base, { name, type: type.type, config })
    } catch (error) {
      throw placed(
        error,
        shown.map((field) => PREFIX + field.name),
      )
    }
  }

  const form = useForm({
    schema,
    initial: {
      name: existing?.name ?? copy?.name ?? '',
      ...withPrefix(initialValues(fields, stored)),
    },
    submit: async ({ name, ...values }) => {
      const saved = await save(name, configOf(withoutPrefix(values)))
      // The connector is saved even if its test cannot start.
      await startCheck(api, type.kind, saved.id).catch(notices.bad)
      notices.good(existing ? texts.saved(saved.name) : texts.created(saved.name))
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

  // After the render that shows the errors.
  const { ref } = form.form
  useEffect(() => {
    if (!form.sending) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form.sending, ref])

  /** An input of the form; a new connector also gets the values that it implies. */
  const input = (name: string): FieldProps<Value> => {
    const field = form.field(PREFIX + name) as FieldProps<Value>
    const implies = fields.find((each) => each.name === name)?.implies
    if (existing || !implies) return field
    return {
      ...field,
      onChange: (next) => {
        field.onChange(next)
        const value = typeof next === 'object' && 'currentTarget' in next ? next.currentTarget.value : next
        if (!new RegExp(implies.pattern, 'i').test(String(value))) return
        const implied = Object.entries(implies.values).filter(([other]) => !(other in fixed))
        form.set(withPrefix(Object.fromEntries(implied) as Values))
      },
    }
  }

  return { form, input, fields, mode, setMode, kept, config: configOf(withoutPrefix(form.values)) }
}

/** Moves errors to the fields of the form. */
function placed(error: unknown, names: string[]): unknown {
  if (!(error instanceof ApiError)) return error
  const found = error.code === 'name_taken' ? { name: error.message } : atFields(error.fields, names)
  if (Object.keys(found).length === 0) return error
  const detail = Object.entries(found).map(([place, msg]) => ({ loc: ['body', place], msg }))
  return new ApiError(error.path, error.status, { detail })
}

function withPrefix(values: Values): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [PREFIX + name, value]))
}

function withoutPrefix(values: Record<string, unknown>): Values {
  const own = Object.entries(values).filter(([name]) => name.startsWith(PREFIX))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(PREFIX.length), value as Values[string]]))
}
