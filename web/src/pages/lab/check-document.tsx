import { SimpleGrid, Stack, Title } from '@mantine/core'
import { Panel } from '../../components/panel.tsx'
import { labTexts } from '../../texts/lab.ts'
import { FindDocument } from './find-document.tsx'
import { useLab } from './lab-context.ts'
import { usePersonNames } from './people.ts'
import { Proof } from './proof.tsx'

const texts = labTexts.check

/** The proof for one document, by its title, address or record id. */
export function CheckDocument() {
  const { address, mayName, people, go } = useLab()
  const names = usePersonNames(people)
  const { explain: recordId } = address
  if (!mayName) return null
  return (
    <Panel title={texts.title} description={texts.description}>
      <Stack gap="md">
        <FindDocument
          key={recordId ?? ''}
          initial={recordId ?? ''}
          action={texts.action}
          onFind={(id) => void go({ explain: id })}
        />
        {recordId === undefined ? null : (
          <SimpleGrid cols={{ base: 1, md: people.length }} spacing="lg" verticalSpacing="lg">
            {people.map((person, index) => (
              <Stack key={JSON.stringify(person)} gap="sm">
                <Title order={3} style={{ overflowWrap: 'anywhere' }}>
                  {labTexts.proof.for(names[index] ?? '')}
                </Title>
                <Proof recordId={recordId} person={person} name={names[index] ?? ''} />
              </Stack>
            ))}
          </SimpleGrid>
        )}
      </Stack>
    </Panel>
  )
}

/** The panel is below the results. */
export function focusCheck(): void {
  document.querySelector<HTMLElement>('#main [name="document"]')?.focus()
}
