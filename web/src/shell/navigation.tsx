import { Divider, Stack } from '@mantine/core'
import {
  IconHome,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  IconRoute,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useChosenWorkspace } from '../service/session.ts'
import { may, type Session, type Workspace } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import { useRunningJobs } from './activity.ts'
import { PersonButton } from './person-button.tsx'
import classes from './shell.module.css'

const { sections } = shellTexts

/** Sections of the workspace, or of the account alone. */
export function Navigation({ session }: { session: Session }) {
  const workspace = useChosenWorkspace()
  return (
    <Stack h="100%" justify="space-between" gap={0} p="xs">
      <div className={classes.sections}>
        {workspace ? <WorkspaceSections workspace={workspace} /> : <AccountSections />}
      </div>
      <Stack gap={4}>
        {workspace ? (
          <Section to="/w/$workspaceId/settings" workspaceId={workspace.id} icon={<IconSettings size={18} />}>
            {sections.settings}
          </Section>
        ) : (
          <Link to="/settings" className={classes.link}>
            <IconSettings size={18} aria-hidden="true" />
            {sections.settings}
          </Link>
        )}
        <Divider my={4} color="var(--mr-line)" />
        <PersonButton session={session} />
      </Stack>
    </Stack>
  )
}

function WorkspaceSections({ workspace: { id: workspaceId, role } }: { workspace: Workspace }) {
  return (
    <Stack gap={4}>
      {may(role, 'viewer') ? <PipelineSections workspaceId={workspaceId} /> : null}
      <Section to="/w/$workspaceId/search" workspaceId={workspaceId} icon={<IconSearch size={18} />}>
        {may(role, 'administrator') ? sections.lab : sections.search}
      </Section>
      <Section to="/w/$workspaceId/keys" workspaceId={workspaceId} icon={<IconKey size={18} />}>
        {sections.keys}
      </Section>
    </Stack>
  )
}

/** Readers do not see these. */
function PipelineSections({ workspaceId }: { workspaceId: string }) {
  const running = useRunningJobs()
  return (
    <>
      <Section to="/w/$workspaceId" exact workspaceId={workspaceId} icon={<IconHome size={18} />}>
        {sections.home}
      </Section>
      <Section
        to="/w/$workspaceId/connectors"
        workspaceId={workspaceId}
        icon={<IconPlugConnected size={18} />}
      >
        {sections.connectors}
      </Section>
      <Section to="/w/$workspaceId/workflows" workspaceId={workspaceId} icon={<IconRoute size={18} />}>
        {sections.workflows}
      </Section>
      <Section to="/w/$workspaceId/jobs" workspaceId={workspaceId} icon={<IconListCheck size={18} />}>
        {sections.jobs}
        {running > 0 ? (
          <span className={`${classes.count} figures`} title={shellTexts.running(running)}>
            {running}
          </span>
        ) : null}
      </Section>
    </>
  )
}

function AccountSections() {
  return (
    <Stack gap={4}>
      <Link to="/" search={{ choose: true }} activeOptions={{ exact: true }} className={classes.link}>
        <IconHome size={18} aria-hidden="true" />
        {sections.home}
      </Link>
      <Link to="/keys" className={classes.link}>
        <IconKey size={18} aria-hidden="true" />
        {sections.keys}
      </Link>
    </Stack>
  )
}

type SectionPath =
  | '/w/$workspaceId'
  | '/w/$workspaceId/connectors'
  | '/w/$workspaceId/workflows'
  | '/w/$workspaceId/jobs'
  | '/w/$workspaceId/search'
  | '/w/$workspaceId/keys'
  | '/w/$workspaceId/settings'
type SectionProps = {
  to: SectionPath
  workspaceId: string
  icon: ReactNode
  exact?: boolean
  children: ReactNode
}

function Section({ to, workspaceId, icon, exact = false, children }: SectionProps) {
  return (
    <Link to={to} params={{ workspaceId }} activeOptions={{ exact }} className={classes.link}>
      {icon}
      {children}
    </Link>
  )
}
