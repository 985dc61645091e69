import {
  Button,
  Fieldset,
  Grid,
  Group,
  Paper,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect } from 'react'
import { z } from 'zod'
import { FormErrors } from '../../components/form-errors.tsx'
import { useForm } from '../../schema-form/form.ts'
import { searchTexts } from '../../texts/search.ts'
import { useWritersTerms } from '../connectors/source-terms.ts'
import { personOf } from './person.ts'
import { PersonPicker } from './person-picker.tsx'
import type { Destination, SearchAddress } from './types.ts'
import { useSearchAddress } from './use-search-address.ts'

const texts = searchTexts.form

const schema = z
  .object({
    destination: z.string().min(1, texts.destinationMissing),
    query: z.string().trim().min(1, texts.queryMissing),
    user: z.string(),
    groups: z.string(),
    user2: z.string(),
    groups2: z.string(),
    two: z.boolean(),
    space: z.string(),
    labels: z.string(),
  })
  .superRefine(({ user, groups, user2, groups2, two }, context) => {
    const missing = (path: string) =>
      context.addIssue({ code: 'custom', path: [path], message: texts.personMissing })
    if (!personOf({ user, groups })) missing('user')
    if (two && !personOf({ user: user2, groups: groups2 })) missing('user2')
  })

export function SearchForm({ destinations }: { destinations: Destination[] }) {
  const { address, go } = useSearchAddress()
  const initial = initialOf(address, destinations)
  const form = useForm({
    schema,
    initial,
    submit: async ({ two, ...values }) => {
      await go({ ...withoutEmpty(values), two: two || undefined, page: undefined })
    },
  })
  // Going back in the browser restores the earlier search.
  const initialKey = JSON.stringify(initial)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is a new object on every render.
  useEffect(() => form.reset(initial), [initialKey])
  const { two } = form.values
  const { scope } = useWritersTerms(form.values.destination)
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} bg="var(--mr-surface)">
      <search aria-label={texts.label}>
        <form {...form.form}>
          <Stack gap="md">
            <FormErrors failure={form.failure} />
            <Grid gap="md">
              <Grid.Col span={{ base: 12, sm: 4 }}>
                <Select
                  label={texts.destination}
                  data={destinations.map(({ id, name }) => ({ value: id, label: name }))}
                  allowDeselect={false}
                  {...form.field('destination')}
                  onChange={(value) => form.set({ destination: value ?? '' })}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, sm: 8 }}>
                <TextInput
                  label={texts.query}
                  placeholder={texts.queryExample}
                  type="search"
                  autoComplete="off"
                  {...form.field('query')}
                />
              </Grid.Col>
            </Grid>
            <SimpleGrid cols={{ base: 1, md: two ? 2 : 1 }} spacing="md">
              <PersonFields
                form={form}
                legend={two ? texts.person1 : texts.person}
                names={['user', 'groups']}
              />
              {two ? <PersonFields form={form} legend={texts.person2} names={['user2', 'groups2']} /> : null}
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
              <TextInput
                label={texts.scope(scope)}
                placeholder={texts.scopeExample}
                autoComplete="off"
                {...form.field('space')}
              />
              <TextInput
                label={texts.labels}
                placeholder={texts.labelsExample}
                autoComplete="off"
                {...form.field('labels')}
              />
            </SimpleGrid>
            <Group justify="space-between">
              <Switch
                label={texts.two}
                checked={two}
                onChange={(event) => form.set({ two: event.currentTarget.checked })}
              />
              <Button type="submit" leftSection={<IconSearch size={16} />} loading={form.sending}>
                {texts.search}
              </Button>
            </Group>
          </Stack>
        </form>
      </search>
    </Paper>
  )
}

type Form = ReturnType<typeof useForm<typeof schema>>
type PersonFieldsProps = {
  form: Form
  legend: string
  names: ['user', 'groups'] | ['user2', 'groups2']
}

function PersonFields({ form, legend, names: [user, groups] }: PersonFieldsProps) {
  return (
    <Fieldset legend={legend} px="md" py="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <PersonPicker destination={form.values.destination} field={form.field(user)} />
        <TextInput
          label={texts.groups}
          description={texts.groupsHelp}
          placeholder={texts.groupsExample}
          autoComplete="off"
          classNames={{ input: 'mono' }}
          {...form.field(groups)}
        />
      </SimpleGrid>
    </Fieldset>
  )
}

function initialOf(address: SearchAddress, destinations: Destination[]): z.input<typeof schema> {
  const { destination, query, user, groups, user2, groups2, two, space, labels } = address
  return {
    destination: destination ?? destinations[0]?.id ?? '',
    query: query ?? '',
    user: user ?? '',
    groups: groups ?? '',
    user2: user2 ?? '',
    groups2: groups2 ?? '',
    two: two ?? false,
    space: space ?? '',
    labels: labels ?? '',
  }
}

/** Empty values stay out of the address. */
function withoutEmpty<T extends Record<string, string>>(
  values: T,
): { [Name in keyof T]: string | undefined } {
  const entries = Object.entries(values).map(([name, value]) => [name, value.trim() || undefined])
  return Object.fromEntries(entries) as { [Name in keyof T]: string | undefined }
}
