import { Anchor, Stack, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { isOpenable } from '../../components/openable.ts'
import { Snippet } from '../../components/snippet.tsx'
import { Advanced } from '../../schema-form/advanced.tsx'
import type { Field, Values } from '../../schema-form/schema.ts'
import { connectorsTexts } from '../../texts/connectors.ts'
import { appliesTo, fillTemplate } from './setup.ts'
import type { ConnectorType } from './types.ts'

type Props = { type: ConnectorType; fields: Field[]; values: Values }

/** Where credentials are created, and the least privileges to paste. */
export function SetupSteps({ type, fields, values }: Props) {
  const steps = type.setup.filter((step) => appliesTo(step, values))
  return (
    <>
      {steps.map(({ title, text, links, snippets }) => (
        <Advanced key={title} title={title} hasError={false}>
          <Text size="sm" maw="72ch">
            {text}
          </Text>
          <Stack gap={4}>
            {links.map((link) => {
              const address = fillTemplate(link.address, { values, fields: [] })
              return isOpenable(address) ? (
                <Anchor
                  key={link.title}
                  href={address}
                  target="_blank"
                  rel="noopener noreferrer"
                  size="sm"
                  w="fit-content"
                >
                  {link.title} <IconExternalLink size={14} aria-label={connectorsTexts.newTab} role="img" />
                </Anchor>
              ) : null
            })}
          </Stack>
          {snippets.map((snippet) => (
            <Stack key={snippet.title} gap={4}>
              <Text size="sm" fw={500}>
                {snippet.title}
              </Text>
              <Snippet code={fillTemplate(snippet.text, { values, fields })} what={snippet.title} />
            </Stack>
          ))}
        </Advanced>
      ))}
    </>
  )
}
