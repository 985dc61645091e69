import { Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { z } from 'zod'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { searchTexts } from '../../texts/search.ts'
import { useConnectorTypes } from '../connectors/queries.ts'
import { Proof } from './proof.tsx'
import { recordIdsIn } from './record-address.ts'
import { personName } from './results.tsx'
import { useSearchAddress } from './use-search-address.ts'

const texts = searchTexts.explain

/** Shows the level that stops a person. */
export function ExplainPanel() {
  const { address, people } = useSearchAddress()
  const addresses = useDocumentAddresses()
  const records = recordIdsIn(address.explain ?? '', addresses)
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <ExplainForm key={address.explain ?? ''} />
        {records.length === 0 ? null : people.length === 0 || !address.destination ? (
          <Text c="dimmed">{texts.needsPerson}</Text>
        ) : (
          <SimpleGrid cols={{ base: 1, md: people.length }} spacing="lg" verticalSpacing="lg">
            {people.map((person, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: both may be the same person.
              <Stack key={`${index} ${JSON.stringify(person)}`} gap="sm">
                <Title order={3} style={{ overflowWrap: 'anywhere' }}>
                  {texts.for(personName(person))}
                </Title>
                <Proof records={records} person={person} />
              </Stack>
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </Panel>
  )
}

function ExplainForm() {
  const { address, people, go } = useSearchAddress()
  const addresses = useDocumentAddresses()
  const schema = z.object({
    page: z
      .string()
      .trim()
      .min(1, texts.missing)
      .refine((text) => recordIdsIn(text, addresses).length > 0, texts.noId),
  })
  const form = useForm({
    schema,
    initial: { page: address.explain ?? '' },
    submit: ({ page }) => go({ explain: page }),
  })
  const noPerson = people.length === 0
  return (
    <form {...form.form}>
      <Group gap="sm" align="flex-start">
        <TextInput
          label={texts.field}
          placeholder={texts.example}
          autoComplete="off"
          flex="1 1 280px"
          {...(noPerson ? { description: texts.needsPerson } : {})}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.field('page')}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 24 }} disabled={noPerson}>
          {texts.action}
        </Button>
      </Group>
    </form>
  )
}

/** The address patterns of all source types. */
function useDocumentAddresses() {
  return useConnectorTypes().data?.flatMap((type) => type.document_addresses) ?? []
}
