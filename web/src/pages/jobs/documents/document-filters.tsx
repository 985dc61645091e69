import { Button, Group, Select, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { jobTexts } from '../../../texts/jobs.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { stateTexts } from '../../../texts/states.ts'
import { FilterText } from '../filter-text.tsx'
import { useJobAddress } from '../job-address.ts'
import { type DocumentPage, documentStates, type JobSearch } from '../types.ts'
import { FIRST_PAGE } from './document-address.ts'

const { documents: texts, errors } = jobTexts
/** Two filters next to each other on a phone. */
const HALF = 'calc(50% - 6px)'
const NO_FILTERS = {
  title: undefined,
  state: undefined,
  error: undefined,
  warning: undefined,
  space: undefined,
}

export function DocumentFilters({ page }: { page: DocumentPage | undefined }) {
  const { search, go } = useJobAddress()
  const { state, error, warning, title, space } = search
  const change = (changes: JobSearch) => go({ ...changes, ...FIRST_PAGE }, { replace: true })
  const scopes = page?.scopes ?? []
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.filters}>
      <FilterText
        label={texts.search}
        placeholder={texts.searchExample}
        value={title}
        onChange={(value) => change({ title: value })}
      />
      <Select
        label={texts.state}
        placeholder={texts.anyState}
        data={documentStates.map((value) => ({
          value,
          label: page ? texts.ofState(stateTexts[value], page.totals[value] ?? 0) : stateTexts[value],
        }))}
        value={state ?? null}
        onChange={(value) => change({ state: documentStates.find((each) => each === value) })}
        clearable
        w={{ base: HALF, xs: 176 }}
      />
      <Select
        label={texts.error}
        placeholder={texts.anyError}
        data={Object.entries(errors).map(([value, { name }]) => ({ value, label: name }))}
        value={error ?? null}
        onChange={(value) => change({ error: value ?? undefined })}
        clearable
        searchable
        w={{ base: HALF, xs: 224 }}
      />
      <Select
        label={texts.scope}
        placeholder={page ? texts.anyScope : shellTexts.table.loading}
        data={scopes.map(({ key, name }) => ({ value: key, label: texts.scopeName(name, key) }))}
        value={space ?? null}
        onChange={(value) => change({ space: value ?? undefined })}
        clearable
        searchable
        w={{ base: HALF, xs: 224 }}
      />
      {[state, error, warning, title, space].some(Boolean) ? (
        <Button variant="subtle" leftSection={<IconX size={16} />} onClick={() => change(NO_FILTERS)}>
          {texts.clear}
        </Button>
      ) : null}
      {warning ? <Text size="sm">{texts.withWarning(warning)}</Text> : null}
    </Group>
  )
}
