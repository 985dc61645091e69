import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../../service/session.ts'
import { auditTexts } from '../../../texts/audit.ts'
import { actionKinds } from './action-kinds.ts'
import { actorOf } from './sentence.ts'

const texts = auditTexts.filters
const TYPING_MS = 300

/** Dates are local days, such as 2026-11-16. */
export type Filters = { actor: string; kind: string; from: string; to: string; text: string }

export const NO_AUDIT_FILTERS: Filters = { actor: '', kind: '', from: '', to: '', text: '' }

export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some(Boolean)
}

export function queryOf({ actor, kind, from, to, text }: Filters) {
  return {
    actor,
    action: actionKinds[kind]?.join(','),
    from: startOf(from, 0),
    // The whole day counts.
    to: startOf(to, 1),
    text,
  }
}

function startOf(day: string, later: number): string | undefined {
  const date = day ? new Date(`${day}T00:00`) : null
  if (!date || Number.isNaN(date.getTime())) return undefined
  date.setDate(date.getDate() + later)
  return date.toISOString()
}

type Props = { filters: Filters; onChange: (filters: Filters) => void }

export function AuditFilters({ filters, onChange }: Props) {
  const actors =
    useQuery(useApi().query<{ actor: string; name: string | null }[]>('/audit/actors')).data ?? []
  const [text, setText] = useState(filters.text)
  const search = useDebouncedCallback((next: string) => onChange({ ...filters, text: next }), TYPING_MS)
  useEffect(() => setText(filters.text), [filters.text])
  const day = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={texts[name]}
      value={filters[name]}
      onChange={({ currentTarget: { value } }) => onChange({ ...filters, [name]: value })}
    />
  )
  return (
    <Group component="section" aria-label={texts.label} gap="sm" mb="md" align="flex-end">
      <NativeSelect
        label={texts.actor}
        value={filters.actor}
        onChange={({ currentTarget: { value } }) => onChange({ ...filters, actor: value })}
        data={[
          { value: '', label: texts.anyone },
          ...actors.map(({ actor, name }) => ({ value: actor, label: actorOf({ actor, actor_name: name }) })),
        ]}
        maw={220}
      />
      <NativeSelect
        label={texts.kind}
        value={filters.kind}
        onChange={({ currentTarget: { value } }) => onChange({ ...filters, kind: value })}
        data={[
          { value: '', label: texts.anything },
          ...Object.entries(auditTexts.kindNames).map(([value, label]) => ({ value, label })),
        ]}
      />
      {day('from')}
      {day('to')}
      <TextInput
        type="search"
        label={texts.text}
        placeholder={texts.textPlaceholder}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          search(value)
        }}
      />
    </Group>
  )
}
