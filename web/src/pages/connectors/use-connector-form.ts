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
import { startCheck } from './queries.ts'
import { modesOf } from './sign-in-modes.ts'
import { type Connector, type ConnectorFormProps, pathOf } from './types.ts'
import { ourFields } from './wire-names.ts'

const texts = connectorsTexts.form
const PREFIX = 'config.'

/** What the form holds and how it is saved: the connector first, then its test is started and looked at. */
export function useConnectorForm({ type, existing, copy }: ConnectorFormProps) {
  const api = useApi()
  const notices = useNotices()
  const navigate = useNavigate()
  const { id: workspaceId } = useWorkspace()
  const base = pathOf(type.kind)

  const modes = modesOf(type.type)
  const fields = useMemo(() => fieldsOf(type.schema), [type])
  const stored = useMemo(
    () => (existing ? ourFields(existing.config) : (copy?.config ?? {})),
    [existing, copy],
  )
  const storedMode = modeOf(modes, stored)
  const [mode, setMode] = useState(storedMode)
  const asked = fieldsIn(fields, modes, mode)
  // Another way to sign in is another secret, even where both are called a token.
  const kept = existing && mode === storedMode ? storedSecrets(fields, stored) : []

  const configOf = (values: Values) => ({
    ...payloadOf(asked, values),
    ...modes?.options.find(({ value }) => value === mode)?.fixed,
  })

  const schema = z.looseObject({ name: z.string().trim() }).superRefine((values, context) => {
    if (!values.name) context.addIssue({ code: 'custom', path: ['name'], message: texts.nameMissing })
    const problems = problemsOf(asked, withoutPrefix(values), { kept, words: texts })
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
        asked.map((field) => PREFIX + field.name),
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
      // Saved is saved: where the test cannot be started, that is said, and it can be started again there.
      await startCheck(api, type.kind, saved.id).catch(notices.bad)
      notices.good(texts.saved(saved.name))
      await api.refresh(base)
      window.scrollTo({ top: 0 })
      await navigate({
        to: '/w/$workspaceId/connectors/$kind/$connectorId',
        params: { workspaceId, kind: type.kind, connectorId: saved.id },
      })
      // The form begins anew with what was saved, and the test is told above it.
      if (existing) focusHeading()
    },
  })

  // Once the answer is on the screen: the frame after it came may still be the one before.
  const { ref } = form.form
  useEffect(() => {
    if (!form.sending) ref.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form.sending, ref])

  /** An input of the form. Where an address alone tells what another field has to be, that is filled in with it. */
  const input = (name: string): FieldProps<Value> => {
    const field = form.field(PREFIX + name) as FieldProps<Value>
    if (existing || name !== 'url') return field
    return {
      ...field,
      onChange: (next) => {
        field.onChange(next)
        const address = typeof next === 'object' && 'currentTarget' in next ? next.currentTarget.value : ''
        if (HOSTED.test(address) && mode !== 'personal') form.set({ [`${PREFIX}cloud`]: true })
      },
    }
  }

  return { form, input, fields, modes, mode, setMode, kept, config: configOf(withoutPrefix(form.values)) }
}

const HOSTED = /^https:\/\/[^/]+\.atlassian\.net/i

/** "config.hosts.0" is said of an entry; the form has one input for the list. A name that is taken is the name's. */
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
