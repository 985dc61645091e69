import { Menu, useMantineColorScheme } from '@mantine/core'
import { IconBook, IconHelp, IconLogout, IconSettings } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useLayoutEffect, useRef } from 'react'
import { useNotices } from '../components/notices.tsx'
import { call } from '../service/api.ts'
import { basePath } from '../service/base-path.ts'
import { markSignedIn, markSignedOut } from '../service/ended-session.ts'
import { useChosenWorkspace } from '../service/session.ts'
import type { Session } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import { PersonName } from './person-name.tsx'
import { isFocusLost } from './restored-focus.ts'

const schemes = ['auto', 'light', 'dark'] as const

type Props = { session: Session; opened: boolean }

export function PersonMenu({ session, opened }: Props) {
  const { user } = session
  const target = useRef<HTMLButtonElement>(null)
  // It replaces the button that had the focus.
  useLayoutEffect(() => {
    if (isFocusLost()) target.current?.focus()
  }, [])
  const navigate = useNavigate()
  const notices = useNotices()
  const workspace = useChosenWorkspace()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useMutation({
    mutationFn: () => {
      markSignedOut()
      return call('POST', '/api/auth/sign-out', { body: {} })
    },
    // A full page load clears all data from memory.
    onSuccess: () => window.location.assign(`${basePath}/sign-in`),
    onError: (error) => {
      markSignedIn()
      notices.error(error)
    },
  })

  return (
    <Menu position="top-start" width={240} shadow="md" withinPortal={false} defaultOpened={opened}>
      <Menu.Target>
        <PersonName session={session} ref={target} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.email}</Menu.Label>
        <Menu.Item
          leftSection={<IconSettings size={16} />}
          onClick={() =>
            workspace
              ? navigate({
                  to: '/w/$workspaceId/settings/$section',
                  params: { workspaceId: workspace.id, section: 'account' },
                })
              : navigate({ to: '/settings' })
          }
        >
          {shellTexts.account}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconHelp size={16} />}
          component="a"
          href={`${basePath}/help`}
          target="_blank"
        >
          {shellTexts.helpPages}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconBook size={16} />}
          component="a"
          href={`${basePath}/docs`}
          target="_blank"
        >
          {shellTexts.apiDocs}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{shellTexts.scheme.label}</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(value) => setColorScheme(value as typeof colorScheme)}
        >
          {schemes.map((scheme) => (
            <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
              {shellTexts.scheme[scheme]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
