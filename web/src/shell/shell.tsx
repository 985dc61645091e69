import { Burger, Text } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { TextLink } from '../components/links.tsx'
import { Logo } from '../components/logo.tsx'
import { markSignedIn } from '../service/ended-session.ts'
import { useSession, WorkspaceContext } from '../service/session.ts'
import { may } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import { useRunningJobs } from './activity.ts'
import { Commands } from './commands.tsx'
import { ConnectionBar } from './connection-bar.tsx'
import { Navigation } from './navigation.tsx'
import { NotificationBell } from './notification-bell.tsx'
import classes from './shell.module.css'
import { SignInAgain } from './sign-in-again.tsx'
import { WorkspaceSelector } from './workspace-selector.tsx'

/** The frame around every signed-in screen. */
export function Shell() {
  const session = useSession()
  const workspaceId = useWorkspaceIdOfAddress()
  const workspace = session.workspaces.find(({ id }) => id === workspaceId) ?? null
  const [opened, { toggle, close }] = useDisclosure(false)
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes on a new address.
  useEffect(close, [pathname])
  useHotkeys([['Escape', close]])
  useEffect(markSignedIn, [])

  return (
    <WorkspaceContext value={workspace}>
      <a className={classes.skip} href="#main">
        {shellTexts.skip}
      </a>
      <header className={classes.header}>
        <Burger
          opened={opened}
          onClick={toggle}
          hiddenFrom="sm"
          size="sm"
          aria-label={opened ? shellTexts.closeMenu : shellTexts.openMenu}
          aria-expanded={opened}
        />
        <Brand />
        {session.tier === 'business' ? <WorkspaceSelector session={session} /> : null}
        {workspace ? (
          <div className={classes.tools}>
            <Commands />
            {may(workspace.role, 'viewer') ? <NotificationBell workspace={workspace} /> : null}
          </div>
        ) : null}
      </header>
      <ConnectionBar />
      <nav className={classes.navbar} aria-label={shellTexts.navigation} data-opened={opened || undefined}>
        <Navigation session={session} />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <div className={classes.content}>
          <Outlet />
        </div>
        <SignInAgain />
      </main>
    </WorkspaceContext>
  )
}

function Brand() {
  const running = useRunningJobs()
  return (
    <TextLink to="/" className={classes.brand} underline="never" aria-label="Millrace">
      <Logo turning={running > 0} />
      <Text span fw={600} visibleFrom="xs" c="var(--mantine-color-text)">
        Millrace
      </Text>
    </TextLink>
  )
}

function useWorkspaceIdOfAddress(): string | undefined {
  return useRouterState({
    select: ({ matches }) =>
      matches.map(({ params }) => ('workspaceId' in params ? params.workspaceId : undefined)).find(Boolean),
  })
}
