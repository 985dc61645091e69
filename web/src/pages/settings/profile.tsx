import { PasswordInput, TextInput } from '@mantine/core'
import { z } from 'zod'
import { DataList } from '../../components/data-list.tsx'
import { useNotices } from '../../components/notices.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useSession } from '../../service/session.ts'
import type { Session } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'
import { PanelForm } from './panel-form.tsx'

const texts = settingsTexts.account
const names = z.object({ name: z.string().trim().min(1, texts.nameMissing).max(255, texts.nameLong) })

export function Profile() {
  const { user, tier, organisation } = useSession()
  const notices = useNotices()
  const form = useForm({
    schema: names,
    initial: { name: user.name },
    submit: async (body) => {
      storeSession(await call<Session>('PATCH', '/account', { body }))
      notices.success(texts.nameChanged)
    },
  })
  return (
    <PanelForm title={texts.profile} form={form} submit={texts.changeName}>
      <DataList
        entries={[
          [texts.email, user.email],
          [texts.tier, tier === 'business' ? texts.business(organisation?.name ?? '') : texts.personal],
        ]}
      />
      <TextInput label={texts.name} autoComplete="name" {...form.field('name')} />
    </PanelForm>
  )
}

const addresses = z.object({
  email: z
    .string()
    .trim()
    .regex(/^\S+@\S+$/, texts.emailWrong),
  password: z.string().min(1, texts.yourPasswordMissing),
})

export function ChangeEmail() {
  const notices = useNotices()
  const form = useForm({
    schema: addresses,
    initial: { email: '', password: '' },
    submit: async (body) => {
      const session = await call<Session>('POST', '/account/email', { body })
      storeSession(session)
      form.reset()
      notices.success(texts.emailChanged(session.user.email))
      await queryClient.invalidateQueries({ queryKey: ['sessions'] })
    },
  })
  return (
    <PanelForm title={texts.emailTitle} description={texts.emailText} form={form} submit={texts.changeEmail}>
      <TextInput label={texts.newEmail} type="email" autoComplete="username" {...form.field('email')} />
      <PasswordInput label={texts.yourPassword} autoComplete="current-password" {...form.field('password')} />
    </PanelForm>
  )
}

function storeSession(session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
}
