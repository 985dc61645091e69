import { PasswordInput, Stack, TextInput } from '@mantine/core'
import { z } from 'zod'
import { useNotices } from '../../components/notices.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useChosenWorkspace, useSession } from '../../service/session.ts'
import type { Session } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { NewPassword } from '../sign-in/new-password.tsx'
import { OwnAccounts } from './own-accounts.tsx'
import { PanelForm } from './panel-form.tsx'
import { PartingPanel } from './parting-panel.tsx'
import { ChangeEmail, Profile } from './profile.tsx'
import { Sessions } from './sessions.tsx'

const texts = settingsTexts.account

export function AccountSection() {
  const { user, tier, organisation } = useSession()
  const workspace = useChosenWorkspace()
  return (
    <Stack gap="lg">
      <Profile />
      <ChangeEmail />
      <ChangePassword email={user.email} />
      {workspace ? <OwnAccounts /> : null}
      <Sessions />
      {organisation ? (
        <PartingPanel
          {...settingsTexts.leaving(organisation.name)}
          description={texts.leaveText}
          onConfirm={() => call('POST', '/organisation/leave', { body: {} })}
        />
      ) : null}
      {tier === 'personal' ? <ChangeToBusiness /> : null}
    </Stack>
  )
}

const passwords = z.object({
  currentPassword: z.string().min(1, texts.currentMissing),
  newPassword: z.string().min(12, texts.newPasswordShort).max(128, texts.newPasswordLong),
})

function ChangePassword({ email }: { email: string }) {
  const notices = useNotices()
  const form = useForm({
    schema: passwords,
    initial: { currentPassword: '', newPassword: '' },
    submit: async (values) => {
      const body = { ...values, revokeOtherSessions: true }
      await call('POST', '/api/auth/change-password', { body })
      form.reset()
      notices.success(texts.changed)
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  return (
    <PanelForm title={texts.password} description={texts.passwordText} form={form} submit={texts.change}>
      <PasswordInput
        label={texts.currentPassword}
        autoComplete="current-password"
        {...form.field('currentPassword')}
      />
      <NewPassword label={texts.newPassword} email={email} field={form.field('newPassword')} />
    </PanelForm>
  )
}

const organisations = z.object({ organisation: z.string().trim().min(1, texts.organisationMissing) })

/** A form, not a switch: this cannot be undone. */
function ChangeToBusiness() {
  const notices = useNotices()
  const form = useForm({
    schema: organisations,
    initial: { organisation: '' },
    submit: async ({ organisation }) => {
      const session = await call<Session>('POST', '/account', { body: { tier: 'business', organisation } })
      queryClient.setQueryData(sessionQuery.queryKey, session)
      notices.success(texts.changedToBusiness(organisation))
    },
  })
  return (
    <PanelForm
      title={texts.toBusiness}
      description={texts.toBusinessText}
      form={form}
      submit={texts.toBusiness}
    >
      <TextInput label={texts.organisation} {...form.field('organisation')} />
    </PanelForm>
  )
}
