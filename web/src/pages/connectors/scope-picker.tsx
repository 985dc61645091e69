import { Button, Group, Pill, Stack, TagsInput, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { createContext, use, useId } from 'react'
import { errorText } from '../../components/notices.tsx'
import type { SchemaFieldProps } from '../../schema-form/field-props.ts'
import classes from '../../schema-form/schema-fields.module.css'
import { useApi } from '../../service/session.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { generalTerms, type Terms } from '../../texts/nouns.ts'
import type { ConnectorType, Scope, ScopeOptions } from './types.ts'

const texts = connectorsTexts.scopes

type Options = {
  type: Pick<ConnectorType, 'type' | 'terms'>
  config: Record<string, unknown>
  sourceId: string | undefined
}

/** The rest of the form, which a request for scopes needs. */
export const ScopeOptionsContext = createContext<Options>({
  type: { type: '', terms: generalTerms },
  config: {},
  sourceId: undefined,
})

/** Scope keys, typed or picked from those the account can see. */
export function ScopePicker({ field, name, value, error, disabled = false, onChange }: SchemaFieldProps) {
  const api = useApi()
  const { type, config, sourceId } = use(ScopeOptionsContext)
  const keys = Array.isArray(value) ? value : []
  const load = useQuery({
    queryKey: ['scopes', useId()],
    queryFn: async () => {
      const { [field.name]: _, ...rest } = config
      const body = { type: type.type, config: rest, ...(sourceId ? { source_id: sourceId } : {}) }
      return (await api.post<ScopeOptions>('/sources/options', body)).spaces
    },
    // Names the chosen ones.
    enabled: sourceId !== undefined && keys.length > 0 && !disabled,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  const scopes = load.data ?? []
  const names = new Map(scopes.map((scope) => [scope.key, scope.name]))
  return (
    <Stack gap={4}>
      <TagsInput
        name={name}
        label={field.title}
        description={field.help}
        error={error}
        disabled={disabled}
        withAsterisk={field.required}
        placeholder={keys.length > 0 ? undefined : scopes.length > 0 ? texts.placeholder : field.placeholder}
        value={keys}
        classNames={{ input: classes.entries, inputField: classes.entry }}
        onChange={onChange}
        data={scopes.map(({ key }) => key)}
        filter={({ options, search }) =>
          options.filter((option) => 'value' in option && matches(option.value, names, search))
        }
        renderPill={({ value: key = '', onRemove }) => (
          <Pill withRemoveButton={!disabled} onRemove={onRemove}>
            {names.get(key)} <span className="mono">{key}</span>
          </Pill>
        )}
        renderOption={({ option }) => (
          <span>
            {names.get(option.value)} <span className="mono">{option.value}</span>
            <DocumentCount scope={scopes.find(({ key }) => key === option.value)} terms={type.terms} />
          </span>
        )}
        maxDropdownHeight={320}
        comboboxProps={{ withinPortal: false }}
      />
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          leftSection={<IconRefresh size={14} />}
          loading={load.isFetching}
          disabled={disabled}
          onClick={() => void load.refetch()}
        >
          {texts.load(type.terms)}
        </Button>
        <Text size="xs" c={load.isError ? 'var(--mr-bad)' : 'dimmed'} role="status" flex={1}>
          {load.isError
            ? errorText(load.error)
            : load.data
              ? texts.loaded(load.data.length, type.terms)
              : texts.loadHelp(type.terms)}
        </Text>
      </Group>
    </Stack>
  )
}

/** How many documents a scope has, if the source says. */
function DocumentCount({ scope, terms }: { scope: Scope | undefined; terms: Terms }) {
  if (!scope || scope.documents === null) return null
  return (
    <Text span size="sm" c="dimmed" className="figures">
      {' '}
      · {texts.documents(scope.documents, terms)}
    </Text>
  )
}

function matches(key: string, names: Map<string, string>, search: string): boolean {
  const query = search.trim().toLowerCase()
  return key.toLowerCase().includes(query) || (names.get(key) ?? '').toLowerCase().includes(query)
}
