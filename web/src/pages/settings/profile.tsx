import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { z } from 'zod'
import { DataList } from '../../components/data-list.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { useNotices } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { queryClient } from '../../service/query-client.ts'
import { sessionQuery, useSession } from '../../service/session.ts'
import type { Session } from '../../service/types.ts'
import { settingsTexts } from '../../texts/settings.ts'

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
    <Panel title={texts.profile}>
      <Stack>
        <DataList
          entries={[
            [texts.email, user.email],
            [texts.tier, tier === 'business' ? texts.business(organisation?.name ?? '') : texts.personal],
          ]}
        />
        <form {...form.form}>
          <Stack maw={400} align="flex-start">
            <FormErrors failure={form.failure} />
            <TextInput label={texts.name} autoComplete="name" w="100%" {...form.field('name')} />
            <Button type="submit" variant="default" loading={form.sending}>
              {texts.changeName}
            </Button>
          </Stack>
        </form>
      </Stack>
    </Panel>
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
    <Panel title={texts.emailTitle} description={texts.emailText}>
      <form {...form.form}>
        <Stack maw={400} align="flex-start">
          <FormErrors failure={form.failure} />
          <TextInput
            label={texts.newEmail}
            type="email"
            autoComplete="username"
            w="100%"
            {...form.field('email')}
          />
          <PasswordInput
            label={texts.yourPassword}
            autoComplete="current-password"
            w="100%"
            {...form.field('password')}
          />
          <Button type="submit" variant="default" loading={form.sending}>
            {texts.changeEmail}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}

function storeSession(session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session)
}
