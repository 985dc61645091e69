import { SimpleGrid, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useWorkspace } from '../../service/session.ts'
import { homeTexts } from '../../texts/home.ts'
import { count } from '../../texts/times.ts'
import classes from './home.module.css'
import type { Overview } from './types.ts'

const texts = homeTexts.summary

/** Documents, failures and the age of the permissions. */
export function SummaryTiles({ overview }: { overview: Overview }) {
  const { id: workspaceId } = useWorkspace()
  const { documents, elements, failures_7d: failures, failed_jobs_7d: failedJobs } = overview
  return (
    <SimpleGrid
      component="section"
      aria-label={texts.label}
      cols={{ base: 2, sm: 3, lg: 5 }}
      spacing="md"
      className="figures"
    >
      <Tile name={texts.documents}>{count(documents)}</Tile>
      <Tile name={texts.elements}>{count(elements)}</Tile>
      <Tile name={texts.failures} bad={failures > 0}>
        {count(failures)}
      </Tile>
      <Tile name={texts.failedJobs} bad={failedJobs > 0}>
        {failedJobs > 0 ? (
          <TextLink
            to="/w/$workspaceId/jobs"
            params={{ workspaceId }}
            search={{ status: 'FAILED' }}
            inherit
            c="var(--mr-bad)"
          >
            {count(failedJobs)}
          </TextLink>
        ) : (
          count(failedJobs)
        )}
      </Tile>
      <Tile name={texts.permissions} help={texts.permissionsHelp}>
        <RelativeTime at={overview.permissions_as_of} absent={texts.never} />
      </Tile>
    </SimpleGrid>
  )
}

type TileProps = { name: string; bad?: boolean; help?: string; children: ReactNode }

function Tile({ name, bad = false, help, children }: TileProps) {
  return (
    <div className={classes.tile} data-bad={bad || undefined}>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text className={classes.value} component="div">
        {bad ? <IconAlertTriangle size={18} aria-hidden="true" /> : null}
        {children}
      </Text>
      {help ? (
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      ) : null}
    </div>
  )
}
