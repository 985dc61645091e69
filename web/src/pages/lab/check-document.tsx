import { Button, Group, SimpleGrid, Stack, TextInput, Title } from '@mantine/core'
import { z } from 'zod'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { labTexts } from '../../texts/lab.ts'
import { useConnectorTypes } from '../connectors/queries.ts'
import { useLab } from './lab-context.ts'
import { usePersonNames } from './people.ts'
import { Proof } from './proof.tsx'
import { recordIdsIn } from './record-address.ts'

const texts = labTexts.check

/** The proof for one document, by its address or record id. */
export function CheckDocument() {
  const { address, mayName, people } = useLab()
  const names = usePersonNames(people)
  const recordIds = recordIdsIn(address.explain ?? '', useDocumentAddresses(mayName))
  if (!mayName) return null
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <CheckForm key={address.explain ?? ''} />
        {recordIds.length === 0 ? null : (
          <SimpleGrid cols={{ base: 1, md: people.length }} spacing="lg" verticalSpacing="lg">
            {people.map((person, index) => (
              <Stack key={JSON.stringify(person)} gap="sm">
                <Title order={3} style={{ overflowWrap: 'anywhere' }}>
                  {labTexts.proof.for(names[index] ?? '')}
                </Title>
                <Proof recordIds={recordIds} person={person} name={names[index] ?? ''} />
              </Stack>
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </Panel>
  )
}

function CheckForm() {
  const { address, go } = useLab()
  const addresses = useDocumentAddresses(true)
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
  return (
    <form {...form.form}>
      <Group gap="sm" align="flex-start">
        <TextInput
          label={texts.field}
          placeholder={texts.example}
          autoComplete="off"
          flex="1 1 280px"
          {...form.field('page')}
        />
        <Button type="submit" variant="default" mt={{ base: 0, xs: 25 }}>
          {texts.action}
        </Button>
      </Group>
    </form>
  )
}

/** The address patterns of all source types; readers may not see them. */
function useDocumentAddresses(enabled: boolean) {
  return useConnectorTypes(enabled).data?.flatMap((type) => type.document_addresses) ?? []
}
