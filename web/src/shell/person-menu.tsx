import { Menu, useMantineColorScheme } from '@mantine/core'
import { IconBook, IconHelp, IconLogout, IconSettings } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { useNotices } from '../components/notices.tsx'
import { forgetAllGuides } from '../pages/connect/stored-guide.ts'
import { call } from '../service/api.ts'
import { basePath } from '../service/base-path.ts'
import { markSignedIn, markSignedOut } from '../service/ended-session.ts'
import { LANGUAGES } from '../service/languages.ts'
import { useChosenWorkspace } from '../service/session.ts'
import type { Session } from '../service/types.ts'
import { LOCALE } from '../texts/language.ts'
import { shellTexts } from '../texts/shell.ts'
import { PersonName } from './person-name.tsx'
import { isFocusLost } from './restored-focus.ts'

const YEAR_S = 365 * 24 * 60 * 60
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
  const signOut = useMutation({
    mutationFn: () => {
      markSignedOut()
      return call('POST', '/api/auth/sign-out', { body: {} })
    },
    onSuccess: () => {
      forgetAllGuides()
      // A full page load clears all data from memory.
      window.location.assign(`${basePath}/sign-in`)
    },
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
        <HelpItem path="/help" icon={<IconHelp size={16} />} label={shellTexts.helpPages} />
        <HelpItem path="/docs" icon={<IconBook size={16} />} label={shellTexts.apiDocs} />
        <Menu.Divider />
        <Choices />
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate()}>
          {shellTexts.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

function HelpItem({ path, icon, label }: { path: string; icon: ReactNode; label: string }) {
  return (
    <Menu.Item leftSection={icon} component="a" href={basePath + path} target="_blank">
      {label}
    </Menu.Item>
  )
}

function Choices() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <Menu.Label>{shellTexts.scheme.label}</Menu.Label>
      <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as typeof colorScheme)}>
        {schemes.map((scheme) => (
          <Menu.RadioItem key={scheme} value={scheme} closeMenuOnClick={false}>
            {shellTexts.scheme[scheme]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
      <Menu.Label>{shellTexts.language.label}</Menu.Label>
      <Menu.RadioGroup value={LOCALE} onChange={chooseLanguage}>
        {LANGUAGES.map((language) => (
          <Menu.RadioItem key={language} value={language} lang={language}>
            {shellTexts.language[language]}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </>
  )
}

/** Loads the page again in another language, which this browser keeps. */
function chooseLanguage(language: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: Firefox has no Cookie Store.
  document.cookie = `millrace_language=${language}; Path=${basePath || '/'}; Max-Age=${YEAR_S}; SameSite=Lax`
  window.location.reload()
}
