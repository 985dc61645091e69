import { Button, Group, Stack, TextInput } from '@mantine/core'
import { z } from 'zod'
import { useForm } from '../../schema-form/form.ts'
import { labTexts } from '../../texts/lab.ts'
import { useLab } from './lab-context.ts'
import classes from './lab-form.module.css'
import { listOf, MAX_PEOPLE, personOf } from './person.ts'
import type { Person } from './types.ts'

const texts = labTexts.advanced

type Props = { people: Person[]; onChange: (people: Person[]) => void }

/** People by their groups, and a search below one document or of some days. */
export function AdvancedPeople({ id, ...people }: Props & { id: string }) {
  const { address } = useLab()
  return (
    <Stack gap="md" id={id}>
      <GroupsForm {...people} />
      <LimitsForm key={JSON.stringify([address.below, address.from, address.until])} />
    </Stack>
  )
}

const groupsSchema = z.object({
  user: z.string(),
  groups: z.string().refine((text) => listOf(text).length > 0, texts.groupsMissing),
})
const NO_GROUPS = { user: '', groups: '' }

function GroupsForm({ people, onChange }: Props) {
  const form = useForm({
    schema: groupsSchema,
    initial: NO_GROUPS,
    submit: async (values) => {
      const person = personOf(values)
      if (person) onChange([...people, person])
      form.reset(NO_GROUPS)
    },
  })
  return (
    <form {...form.form}>
      <Group gap="sm" align="flex-start">
        <TextInput
          label={texts.groups}
          description={texts.groupsHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder={texts.groupsExample}
          autoComplete="off"
          flex="2 1 240px"
          {...form.field('groups')}
        />
        <TextInput
          label={texts.user}
          description={texts.userHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="off"
          flex="1 1 220px"
          {...form.field('user')}
        />
        <Button
          type="submit"
          variant="default"
          className={classes.submit}
          disabled={people.length >= MAX_PEOPLE}
        >
          {texts.add}
        </Button>
      </Group>
    </form>
  )
}

const limitsSchema = z.object({ below: z.string().trim(), from: z.string(), until: z.string() })

function LimitsForm() {
  const { address, terms, go } = useLab()
  const { below = '', from = '', until = '' } = address
  const form = useForm({
    schema: limitsSchema,
    initial: { below, from, until },
    submit: (limits) =>
      go({
        below: limits.below || undefined,
        from: limits.from || undefined,
        until: limits.until || undefined,
        record: undefined,
      }),
  })
  return (
    <form {...form.form}>
      <Group gap="sm" align="flex-start">
        <TextInput
          label={texts.below(terms.document)}
          placeholder={texts.belowExample}
          autoComplete="off"
          flex="1 1 240px"
          {...form.field('below')}
        />
        <TextInput label={texts.from} type="date" {...form.field('from')} />
        <TextInput label={texts.until} type="date" {...form.field('until')} />
        <Button type="submit" variant="default" className={classes.submit}>
          {texts.apply}
        </Button>
      </Group>
    </form>
  )
}
