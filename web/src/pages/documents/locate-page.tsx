import { Paper, Stack, Text } from '@mantine/core'
import { IconChevronRight } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { TextLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { PageSkeleton } from '../../components/page-skeleton.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi } from '../../service/session.ts'
import { documentTexts } from '../../texts/documents.ts'
import classes from '../workspaces/choose-page.module.css'
import type { LocatedDocument } from './types.ts'

const { locate: texts, unknown } = documentTexts

/** Finds the workspace of a document and opens it there. */
export function LocatePage() {
  const { _splat: record = '' } = useParams({ from: '/signed-in/documents/$' })
  const located = useQuery(useApi().query<LocatedDocument[]>('/documents/locate', { record_id: record }))
  if (located.isError) return <QueryFailure query={located} />
  if (!located.data) return <PageSkeleton />
  const [first, ...others] = located.data
  if (!first)
    return (
      <Stack align="flex-start">
        <PageHeader title={unknown.title} description={texts.none} />
        <span className="mono" style={{ overflowWrap: 'anywhere' }}>
          {record}
        </span>
        <TextLink to="/">{texts.back}</TextLink>
      </Stack>
    )
  if (others.length === 0)
    return (
      <Navigate
        to="/w/$workspaceId/documents"
        params={{ workspaceId: first.workspace_id }}
        search={{ record }}
        replace
      />
    )
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} />
      <Paper
        withBorder
        component="ul"
        className={classes.list}
        bg="var(--mr-surface)"
        maw={720}
        aria-label={texts.list}
      >
        {located.data.map(({ workspace_id: workspaceId, name }) => (
          <li key={workspaceId}>
            <TextLink
              to="/w/$workspaceId/documents"
              params={{ workspaceId }}
              search={{ record }}
              underline="never"
              className={classes.row}
            >
              <Text span fw={500} className={classes.name}>
                {name}
              </Text>
              <IconChevronRight size={16} aria-hidden="true" />
            </TextLink>
          </li>
        ))}
      </Paper>
    </>
  )
}
