import { Button, Group, TextInput } from '@mantine/core'
import { z } from 'zod'
import { useForm } from '../../schema-form/form.ts'
import { labTexts } from '../../texts/lab.ts'
import { useLab } from './lab-context.ts'

const texts = labTexts.facets
const schema = z.object({ from: z.string(), until: z.string() })

/** Any first and last day of the last change. */
export function DateRange({ onApply }: { onApply: () => void }) {
  const { address, go } = useLab()
  const form = useForm({
    schema,
    initial: { from: address.from ?? '', until: address.until ?? '' },
    submit: async ({ from, until }) => {
      onApply()
      await go({ from: from || undefined, until: until || undefined, record: undefined })
    },
  })
  return (
    <form {...form.form}>
      <Group gap={8} align="flex-end">
        <TextInput label={texts.from} type="date" size="xs" flex="1 1 110px" {...form.field('from')} />
        <TextInput label={texts.until} type="date" size="xs" flex="1 1 110px" {...form.field('until')} />
        <Button type="submit" variant="default" size="xs" fullWidth>
          {texts.apply}
        </Button>
      </Group>
    </form>
  )
}
