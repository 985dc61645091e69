import { Button, Group, Stack, TagsInput, Text } from '@mantine/core'
import { IconRefresh } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { lineOf } from '../../components/notices.tsx'
import type { SchemaFieldProps } from '../../schema-form/field-props.ts'
import classes from '../../schema-form/schema-fields.module.css'
import { useApi } from '../../service/session.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import type { Space } from './types.ts'

const texts = connectorsTexts.spaces

type Options = { type: string; config: Record<string, unknown>; sourceId: string | undefined }

/** What the rest of the form says, since the wiki can only be asked with it. */
export const SpaceOptionsContext = createContext<Options>({ type: '', config: {}, sourceId: undefined })

/** Keys of spaces: typed, or picked from what the account can see. */
export function SpacePicker({ field, name, value, error, disabled = false, onChange }: SchemaFieldProps) {
  const api = useApi()
  const { type, config, sourceId } = use(SpaceOptionsContext)
  const load = useMutation({
    mutationFn: async () => {
      const { spaces: _, ...rest } = config
      const body = { type, config: rest, ...(sourceId ? { source_id: sourceId } : {}) }
      return (await api.post<{ spaces: Space[] }>('/sources/options', body)).spaces
    },
  })
  const spaces = load.data ?? []
  const names = new Map(spaces.map((space) => [space.key, space.name]))
  const keys = Array.isArray(value) ? value : []
  return (
    <Stack gap={4}>
      <TagsInput
        name={name}
        label={field.title}
        description={field.help}
        error={error}
        disabled={disabled}
        placeholder={keys.length > 0 ? undefined : spaces.length > 0 ? texts.searchOr : field.placeholder}
        value={keys}
        classNames={{ input: classes.entries, inputField: classes.entry }}
        onChange={onChange}
        data={spaces.map(({ key }) => key)}
        filter={({ options, search }) =>
          options.filter((option) => 'value' in option && matches(option.value, names, search))
        }
        renderOption={({ option }) => (
          <span>
            <span className="mono">{option.value}</span> · {names.get(option.value)}
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
          loading={load.isPending}
          disabled={disabled}
          onClick={() => load.mutate()}
        >
          {texts.load}
        </Button>
        <Text size="xs" c={load.isError ? 'var(--mr-bad)' : 'dimmed'} role="status" flex={1}>
          {load.isError ? lineOf(load.error) : load.data ? loaded(load.data) : texts.loadHelp}
        </Text>
      </Group>
    </Stack>
  )
}

function matches(key: string, names: Map<string, string>, search: string): boolean {
  const wanted = search.trim().toLowerCase()
  return key.toLowerCase().includes(wanted) || (names.get(key) ?? '').toLowerCase().includes(wanted)
}

function loaded(spaces: Space[]): string {
  return spaces.length === 0 ? texts.none : texts.loaded(spaces.length)
}
