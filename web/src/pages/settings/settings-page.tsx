import { Tabs } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import { NotFound } from '../../components/not-found.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useSession, useWorkspace } from '../../service/session.ts'
import { oneOf } from '../../shell/search-values.ts'
import { settingsTexts as texts } from '../../texts/settings.ts'
import { WebhooksSection } from '../notifications/webhooks/webhooks-section.tsx'
import { AccountSection } from './account-section.tsx'
import { AuditSection } from './audit/audit-section.tsx'
import { IdentitySection } from './identity/identity-section.tsx'
import { MembersSection } from './members-section.tsx'
import { sections, visibleSections } from './sections.ts'
import { WorkspaceSection } from './workspace-section.tsx'

/** The section is part of the address. */
export function SettingsPage() {
  const params = useParams({ from: '/signed-in/w/$workspaceId/settings/$section' })
  const navigate = useNavigate()
  const { tier } = useSession()
  const workspace = useWorkspace()
  const section = oneOf(params.section, sections)
  if (!section) return <NotFound />
  // A shared link shows whom to ask; tabs show only what the role allows.
  const visible = visibleSections(workspace.role, tier)
  return (
    <>
      <PageHeader title={`${texts.title}: ${texts.sections[section]}`} />
      <Tabs
        value={section}
        keepMounted={false}
        onChange={(next) =>
          navigate({
            to: '/w/$workspaceId/settings/$section',
            params: { workspaceId: workspace.id, section: next ?? 'account' },
          })
        }
      >
        {/* On phones, a tab that scrolls out of view is hard to find. */}
        <Tabs.List mb="lg" style={{ flexWrap: 'wrap' }}>
          {sections
            .filter((each) => each === section || visible.includes(each))
            .map((each) => (
              <Tabs.Tab key={each} value={each}>
                {texts.sections[each]}
              </Tabs.Tab>
            ))}
        </Tabs.List>
        <Tabs.Panel value="account">
          <AccountSection />
        </Tabs.Panel>
        <Tabs.Panel value="workspace">
          <WorkspaceSection workspace={workspace} />
        </Tabs.Panel>
        <Tabs.Panel value="members">
          <MembersSection workspace={workspace} />
        </Tabs.Panel>
        <Tabs.Panel value="identity">
          <IdentitySection workspace={workspace} />
        </Tabs.Panel>
        <Tabs.Panel value="webhooks">
          <WebhooksSection workspace={workspace} />
        </Tabs.Panel>
        <Tabs.Panel value="audit">
          <AuditSection workspace={workspace} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}

/** Settings without a workspace. */
export function AccountPage() {
  return (
    <>
      <PageHeader title={`${texts.title}: ${texts.sections.account}`} />
      <AccountSection />
    </>
  )
}
