import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { may } from '../../../service/types.ts'
import { documentTexts } from '../../../texts/documents.ts'
import type { Terms } from '../../../texts/nouns.ts'
import { roleTexts } from '../../../texts/roles.ts'
import { sentence } from '../../jobs/error-advice.ts'
import type { DocumentContent, DocumentOverview, WorkflowDocument } from '../types.ts'
import { isPdf, LinkedPanes } from './linked-panes.tsx'
import type { DocumentKey } from './page-picture.tsx'

const texts = documentTexts.content

type Props = { document: DocumentOverview; workflow: WorkflowDocument; terms: Terms }

/** The document next to its elements, for roles that may see text. */
export function ContentPanel({ document, workflow, terms }: Props) {
  const { id: workspaceId, role } = useWorkspace()
  const isAllowed = may(role, 'developer')
  return (
    <Panel title={texts.title} description={isAllowed ? texts.description(terms.system) : undefined}>
      {isAllowed ? (
        <Content documentKey={{ record_id: document.record_id, workflow_id: workflow.workflow_id }} />
      ) : (
        <Alert variant="outline" icon={<IconInfoCircle size={18} />}>
          <Text size="sm" mb={4}>
            {texts.needsDeveloper(roleTexts[role].name)}
          </Text>
          <TextLink
            to="/w/$workspaceId/search"
            params={{ workspaceId }}
            search={{ destination: workflow.destination_id ?? undefined, query: document.title }}
            size="sm"
          >
            {texts.searchSelf}
          </TextLink>
        </Alert>
      )}
    </Panel>
  )
}

function Content({ documentKey }: { documentKey: DocumentKey }) {
  const content = useQuery({
    ...useApi().query<DocumentContent>('/documents/content', documentKey),
    // Every request reads the source and adds an audit entry.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    retry: false,
  })
  if (content.isError) return <QueryFailure query={content} />
  if (!content.data)
    return (
      <Stack gap="xs" role="status">
        <Text c="dimmed">{texts.loading}</Text>
        <Skeleton height="min(72vh, 800px)" />
      </Stack>
    )
  return (
    <Stack gap="sm">
      <Notes content={content.data} />
      {content.data.blocks.length === 0 ? <Text c="dimmed">{texts.none}</Text> : null}
      {content.data.blocks.length > 0 || isPdf(content.data) ? (
        <LinkedPanes documentKey={documentKey} content={content.data} />
      ) : null}
    </Stack>
  )
}

/** Differences from the index, and what the text lacks. */
function Notes({ content }: { content: DocumentContent }) {
  const { version, indexed_version: indexed, warnings } = content
  const differs = indexed !== version
  return (
    <>
      {differs || !content.indexed ? (
        <Alert variant="outline" color="var(--mr-warning)" icon={<IconAlertTriangle size={18} />} p="sm">
          {differs ? texts.otherVersion(version, indexed) : texts.notIndexed}
        </Alert>
      ) : null}
      {warnings.length > 0 ? (
        <Alert
          variant="outline"
          color="var(--mr-warning)"
          icon={<IconAlertTriangle size={18} />}
          title={texts.warnings}
          p="sm"
        >
          {warnings.map(({ code, message }) => (
            <Text key={code} size="sm">
              {sentence(message)}
            </Text>
          ))}
        </Alert>
      ) : null}
    </>
  )
}
