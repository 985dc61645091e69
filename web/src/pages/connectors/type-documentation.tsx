import { Anchor } from '@mantine/core'
import { IconExternalLink } from '@tabler/icons-react'
import { isOpenable } from '../../components/openable.ts'
import { helpAddress } from '../../service/help.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import type { ConnectorType } from './types.ts'

/** An https address, or a page of the documentation. */
export function TypeDocumentation({ type: { docs } }: { type: ConnectorType }) {
  return (
    <Anchor
      href={isOpenable(docs) ? docs : helpAddress(docs)}
      target="_blank"
      rel="noopener noreferrer"
      size="sm"
      display="block"
      w="fit-content"
    >
      {texts.documentation} <IconExternalLink size={14} aria-hidden="true" />
    </Anchor>
  )
}
