import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../../components/loaded.tsx'
import { useApi } from '../../../service/session.ts'
import { documentTexts } from '../../../texts/documents.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { sentence } from '../../jobs/error-advice.ts'
import type { DocumentChanges, WorkflowDocument } from '../types.ts'
import { PermissionChanges } from './permission-changes.tsx'
import { TextChanges } from './text-changes.tsx'

const texts = documentTexts.changes

type Props = { recordId: string; workflow: WorkflowDocument; from: string; to: string; terms: Terms }

/** Text and permissions of two versions. */
export function Changes({ recordId, workflow, from, to, terms }: Props) {
  const changes = useQuery({
    ...useApi().query<DocumentChanges>('/documents/changes', {
      record_id: recordId,
      workflow_id: workflow.workflow_id,
      from,
      to,
    }),
    // Every request reads the source and adds an audit entry.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
  return (
    <Loaded query={changes} size={160}>
      {(found) => <Differences changes={found} destinationId={workflow.destination_id} terms={terms} />}
    </Loaded>
  )
}

type DifferencesProps = Pick<Props, 'terms'> & { changes: DocumentChanges; destinationId: string | null }

function Differences({ changes, destinationId, terms }: DifferencesProps) {
  const { from: older, to: newer, text, text_problem: problem, permissions } = changes
  return (
    <Stack gap="md" role="status">
      <Title order={3}>
        {older.version === newer.version
          ? texts.titleSame(newer.version)
          : texts.title(older.version, newer.version)}
      </Title>
      <Stack gap="xs">
        <Title order={4} size="sm">
          {texts.text}
        </Title>
        {text ? <TextChanges parts={text} /> : <Text c="dimmed">{sentence(problem ?? '')}</Text>}
      </Stack>
      <Stack gap="xs">
        <Title order={4} size="sm">
          {texts.permissions}
        </Title>
        <PermissionChanges changes={permissions} destinationId={destinationId} terms={terms} />
      </Stack>
    </Stack>
  )
}
