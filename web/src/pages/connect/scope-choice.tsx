import { Checkbox, Input, Radio, Skeleton, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import { QueryFailure } from '../../components/query-failure.tsx'
import { connectTexts } from '../../texts/connect.ts'
import { capitalized, plural, type Terms } from '../../texts/nouns.ts'
import type { Scope } from '../connectors/types.ts'
import classes from './guide-step.module.css'

const texts = connectTexts.run

type Props = {
  terms: Terms
  scopes: UseQueryResult<Scope[]>
  isAll: boolean
  keys: string[]
  /** How many documents of each scope are read. */
  limit: number | null
  error: string | undefined
  onChange: (changes: { isAll?: boolean; keys?: string[] }) => void
}

/** More scopes than this need a filter. */
const FILTERED = 8

/** All scopes, or some of them, with the number of documents of each. */
export function ScopeChoice({ terms, scopes, isAll, keys, limit, error, onChange }: Props) {
  const all = scopes.data ?? []
  return (
    <Stack gap="xs">
      <Radio.Group
        label={capitalized(plural(terms.scope))}
        value={isAll ? 'all' : 'some'}
        onChange={(next) => onChange({ isAll: next === 'all' })}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="all" label={texts.all(terms, scopes.data?.length)} />
          <Radio value="some" label={texts.some(terms)} />
        </Stack>
      </Radio.Group>
      {scopes.isError ? <QueryFailure query={scopes} /> : null}
      {!isAll && scopes.isLoading ? (
        <Skeleton height={120} role="img" aria-label={texts.loading(terms)} />
      ) : null}
      {isAll || all.length === 0 ? null : (
        <ScopeList
          terms={terms}
          all={all}
          keys={keys}
          limit={limit}
          onChange={(next) => onChange({ keys: next })}
        />
      )}
      {error ? (
        <Input.Error role="alert" size="sm">
          {error}
        </Input.Error>
      ) : null}
    </Stack>
  )
}

type ListProps = {
  terms: Terms
  all: Scope[]
  keys: string[]
  limit: number | null
  onChange: (keys: string[]) => void
}

function ScopeList({ terms, all, keys, limit, onChange }: ListProps) {
  const [filter, setFilter] = useState('')
  const text = filter.trim().toLowerCase()
  const shown = all.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(text))
  return (
    <Stack gap="xs">
      {all.length > FILTERED ? (
        <TextInput
          aria-label={texts.filter(terms)}
          placeholder={texts.filter(terms)}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
      ) : null}
      <Checkbox.Group
        value={keys}
        onChange={onChange}
        label={<VisuallyHidden>{texts.some(terms)}</VisuallyHidden>}
      >
        <Stack gap="xs" className={classes.scopes}>
          {shown.map(({ key, name, documents }) => (
            <Checkbox
              key={key}
              value={key}
              label={
                <>
                  {name} <span className="mono">{key}</span>
                </>
              }
              description={documents === null ? null : texts.documents(documents, limit, terms)}
            />
          ))}
          {shown.length === 0 ? <Text size="sm">{texts.noMatch(terms)}</Text> : null}
        </Stack>
      </Checkbox.Group>
    </Stack>
  )
}
