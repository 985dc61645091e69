import { Anchor, Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import * as z from 'zod/mini'
import { FormErrors } from '../components/form-errors.tsx'
import { useSetupState } from '../pages/sign-in/setup-state.ts'
import { withOwnMessage } from '../pages/sign-in/sign-in-error.ts'
import { useForm } from '../schema-form/form.ts'
import { call } from '../service/api.ts'
import { basePath, withoutBasePath } from '../service/base-path.ts'
import { resumeSession } from '../service/ended-session.ts'
import { sessionQuery, useSession } from '../service/session.ts'
import type { Session } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'
import { signInTexts } from '../texts/sign-in.ts'

const texts = shellTexts.ended
// Notices a sign-in in another tab, such as through an identity provider.
const POLL_MS = 2000

const schema = z.object({ password: z.string().check(z.minLength(1, signInTexts.passwordMissing)) })

export function SignInDialog() {
  const { user } = useSession()
  const client = useQueryClient()
  const setup = useSetupState()

  /** Another person must not see the data of this one: a full load clears it. */
  const proceed = (session: Session) => {
    if (session.user.id !== user.id) return window.location.reload()
    client.setQueryData(sessionQuery.queryKey, session)
    resumeSession()
  }
  const form = useForm({
    schema,
    initial: { password: '' },
    submit: async ({ password }) => {
      const body = { email: user.email, password }
      await call('POST', '/api/auth/sign-in/email', { body }).catch(withOwnMessage)
      proceed(await call<Session>('GET', '/session'))
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: one timer while the dialog is open.
  useEffect(() => {
    const timer = setInterval(() => {
      call<Session>('GET', '/session').then(proceed, () => {})
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])

  const here = withoutBasePath(window.location.pathname) + window.location.search
  return (
    <Modal
      opened
      onClose={() => {}}
      title={texts.title}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={450}
    >
      <form {...form.form}>
        <Stack>
          <Text>{texts.text}</Text>
          <FormErrors failure={form.failure} />
          <TextInput
            label={signInTexts.email}
            value={user.email}
            readOnly
            autoComplete="username"
            variant="filled"
          />
          <PasswordInput
            label={signInTexts.password}
            autoComplete="current-password"
            data-autofocus
            {...form.field('password')}
          />
          <Group justify="space-between">
            <Anchor href={`${basePath}/sign-in?${new URLSearchParams({ return: here })}`} size="sm">
              {texts.other}
            </Anchor>
            <Button type="submit" loading={form.sending}>
              {signInTexts.submit}
            </Button>
          </Group>
          {setup?.oidc ? <OidcLink /> : null}
        </Stack>
      </form>
    </Modal>
  )
}

function OidcLink() {
  return (
    <Text size="sm">
      <Anchor href={`${basePath}/sign-in`} target="_blank" rel="opener" inherit>
        {texts.oidc}
      </Anchor>{' '}
      {texts.oidcHelp}
    </Text>
  )
}
