import { Stack, Text } from '@mantine/core'
import { IconFileUnknown } from '@tabler/icons-react'
import { EmptyState } from '../../components/empty-state.tsx'
import { useHeadingFocus } from '../../shell/heading-focus.ts'
import { usePageTitle } from '../../shell/page-title.ts'
import { documentTexts } from '../../texts/documents.ts'
import classes from './document.module.css'
import { OpenForm } from './open-document.tsx'

const texts = documentTexts.unknown

/** A record id that no workflow knows, with possible reasons. */
export function UnknownDocument({ recordId }: { recordId: string }) {
  usePageTitle(texts.title)
  return (
    <Stack maw={720} mx="auto" gap="xs">
      <EmptyState
        icon={<IconFileUnknown size={32} stroke={1.5} />}
        level={1}
        heading={useHeadingFocus()}
        title={texts.title}
      >
        <span className="mono" style={{ overflowWrap: 'anywhere' }}>
          {recordId}
        </span>
        <br />
        {texts.text}
      </EmptyState>
      <Text>{texts.reasons}</Text>
      <ul className={classes.reasons}>
        {texts.list.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
      <div className={classes.openForm}>
        <OpenForm />
      </div>
    </Stack>
  )
}
