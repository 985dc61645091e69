import { Anchor, Text } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { isOpenable } from '../../components/openable.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import type { ConnectorType } from './types.ts'

/** A link, or a path in the repository, which the page cannot open. */
export function TypeDocumentation({ type: { docs, title } }: { type: ConnectorType }) {
  if (!isOpenable(docs)) {
    return (
      <Text span display="block" size="sm" c="dimmed">
        {texts.documentation}: <span className="mono">{docs}</span>
      </Text>
    )
  }
  return (
    <Anchor
      href={docs}
      target="_blank"
      rel="noopener noreferrer"
      size="sm"
      display="block"
      w="fit-content"
      aria-label={texts.documentationOf(title)}
    >
      {texts.documentation} <IconExternalLink size={14} aria-hidden="true" />
    </Anchor>
  )
}
