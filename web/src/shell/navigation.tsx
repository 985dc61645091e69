import { Divider, Stack } from '@mantine/core'
import { IconHome, IconKey, IconSettings } from '@tabler/icons-react'
import { Link, useLocation } from '@tanstack/react-router'
import { useChosenWorkspace } from '../service/session.ts'
import type { Session, Workspace } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import { useRunningJobs } from './activity.ts'
import { PersonButton } from './person-button.tsx'
import { sectionsFor } from './sections.tsx'
import classes from './shell.module.css'

const texts = shellTexts.sections

/** Sections of the workspace, or of the account alone. */
export function Navigation({ session }: { session: Session }) {
  const workspace = useChosenWorkspace()
  return (
    <Stack h="100%" gap={4} p="xs">
      {workspace ? <WorkspaceSections workspace={workspace} /> : <AccountSections />}
      <Divider my={4} color="var(--mr-line)" />
      <PersonButton session={session} />
    </Stack>
  )
}

/** The settings are below the others. */
function WorkspaceSections({ workspace: { id: workspaceId, role } }: { workspace: Workspace }) {
  // A document belongs to the search, and has an address of its own.
  const isDocument = useLocation({ select: ({ pathname }) => /\/w\/[^/]+\/documents$/.test(pathname) })
  const links = sectionsFor(role).map(({ to, label, Icon }) => (
    <Link
      key={to}
      to={to}
      params={{ workspaceId }}
      activeOptions={{ exact: to === '/w/$workspaceId' }}
      className={classes.link}
      {...(isDocument && to === '/w/$workspaceId/search'
        ? { 'data-status': 'active', 'aria-current': 'true' as const }
        : {})}
    >
      <Icon size={18} aria-hidden="true" />
      {label}
      {to === '/w/$workspaceId/jobs' ? <RunningJobs /> : null}
    </Link>
  ))
  return (
    <>
      <Stack className={classes.sections} gap={4}>
        {links.slice(0, -1)}
      </Stack>
      {links.at(-1)}
    </>
  )
}

function RunningJobs() {
  const running = useRunningJobs()
  if (running === 0) return null
  return (
    <span className={`${classes.count} figures`} title={shellTexts.running(running)}>
      {running}
    </span>
  )
}

function AccountSections() {
  return (
    <>
      <Stack className={classes.sections} gap={4}>
        <Link to="/" search={{ choose: true }} activeOptions={{ exact: true }} className={classes.link}>
          <IconHome size={18} aria-hidden="true" />
          {texts.home}
        </Link>
        <Link to="/keys" className={classes.link}>
          <IconKey size={18} aria-hidden="true" />
          {texts.keys}
        </Link>
      </Stack>
      <Link to="/settings" className={classes.link}>
        <IconSettings size={18} aria-hidden="true" />
        {texts.settings}
      </Link>
    </>
  )
}
