import { Button, Group, Paper, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { z } from 'zod'
import { TextLink } from '../../components/links.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import type { OwnAccount } from '../../service/types.ts'
import { labTexts } from '../../texts/lab.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { SandboxNote } from '../sandbox/sandbox-note.tsx'
import { AdvancedPeople } from './advanced-people.tsx'
import { useLab } from './lab-context.ts'
import classes from './lab-form.module.css'
import { PeopleBox } from './people-box.tsx'
import { addressOfPeople } from './person.ts'
import type { Destination, Person } from './types.ts'

const texts = labTexts.form
const schema = z.object({ query: z.string().trim().min(1, texts.queryMissing) })

/** The query, the people and, if there is a choice, the destination. */
export function LabForm({ destinations }: { destinations: Destination[] }) {
  const { address, destination, mayName, named, go } = useLab()
  const form = useForm({
    schema,
    initial: { query: address.query ?? '' },
    submit: ({ query }) => go({ query, record: undefined }),
  })
  const [isOpen, setOpen] = useState(false)
  const advancedId = useId()
  // Going back in the browser restores the earlier query.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the form is a new object on every render.
  useEffect(() => form.reset({ query: address.query ?? '' }), [address.query])

  // A typed query counts, also before it is sent.
  const typed = { query: form.values.query.trim() || undefined, record: undefined }
  const change = (people: Person[]) => void go({ ...addressOfPeople(people), ...typed })
  return (
    <Paper withBorder p="md" bg="var(--mr-surface)">
      <search aria-label={mayName ? texts.label : texts.ownLabel}>
        <Stack gap="xs">
          <form {...form.form}>
            <div className={classes.form}>
              <TextInput
                className={classes.query}
                label={texts.query}
                placeholder={texts.queryExample}
                type="search"
                autoComplete="off"
                leftSection={<IconSearch size={16} />}
                {...form.field('query')}
              />
              {destinations.length > 1 ? (
                <Select
                  label={texts.destination}
                  className={classes.destination}
                  data={destinations.map(({ id, name, sandbox }) => ({
                    value: id,
                    label: sandbox ? sandboxTexts.option(name) : name,
                  }))}
                  allowDeselect={false}
                  value={destination.id}
                  onChange={(id) => void go({ ...typed, destination: id ?? undefined })}
                />
              ) : null}
              {mayName ? (
                <div className={classes.people}>
                  <PeopleBox people={named} onChange={change} />
                </div>
              ) : null}
              <Group gap={4} wrap="nowrap" className={classes.submit}>
                <Button type="submit" loading={form.sending}>
                  {texts.search}
                </Button>
                {mayName ? (
                  <Button
                    variant="subtle"
                    px="xs"
                    aria-expanded={isOpen}
                    aria-controls={advancedId}
                    onClick={() => setOpen(!isOpen)}
                  >
                    {labTexts.advanced.label}
                  </Button>
                ) : null}
              </Group>
            </div>
          </form>
          {isOpen ? <AdvancedPeople id={advancedId} people={named} onChange={change} /> : null}
          <SandboxNote destinationId={destination.id} />
          {named.length === 0 ? <UnlinkedNote /> : null}
        </Stack>
      </search>
    </Paper>
  )
}

/** Without a linked account, a person finds only what visitors find. */
function UnlinkedNote() {
  const { id: workspaceId } = useWorkspace()
  const accounts = useQuery(useApi().query<OwnAccount[]>('/identities/own')).data
  if (!accounts || accounts.length === 0 || accounts.some(({ account }) => account)) return null
  return (
    <Text size="sm">
      {labTexts.unlinked.text}{' '}
      <TextLink size="sm" to="/w/$workspaceId/settings/$section" params={{ workspaceId, section: 'account' }}>
        {labTexts.unlinked.action}
      </TextLink>
    </Text>
  )
}
