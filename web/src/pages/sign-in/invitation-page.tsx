import { Button, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { FormErrors } from '../../components/form-errors.tsx'
import { TextLink } from '../../components/links.tsx'
import { SignInFrame } from '../../components/sign-in-frame.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { withoutBasePath } from '../../service/base-path.ts'
import { sessionQuery } from '../../service/session.ts'
import type { Invitation } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { invitationTexts as texts } from '../../texts/sign-in.ts'
import { forgetAllGuides } from '../connect/stored-guide.ts'
import { nameField, newPasswordField } from './account-fields.ts'
import { NewPassword } from './new-password.tsx'
import { useContinue } from './use-continue.ts'

/** Joins with a new account or the current one. */
export function InvitationPage() {
  const { token } = useParams({ from: '/invitation/$token' })
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call<Invitation>('GET', pathOf(token), { signal }),
  })
  const session = useQuery({ ...sessionQuery, retry: false })

  if (invitation.isError) {
    return (
      <SignInFrame title={texts.invalid.title} lead={texts.invalid.text}>
        <TextLink to="/sign-in">{texts.invalid.link}</TextLink>
      </SignInFrame>
    )
  }
  if (!invitation.data || session.isPending) {
    return (
      <SignInFrame title={texts.title}>
        <Skeleton height={120} />
      </SignInFrame>
    )
  }
  const { workspace, organisation, role, email } = invitation.data
  return (
    <SignInFrame title={texts.windowTitle(workspace)} lead={texts.lead(roleTexts[role].name, organisation)}>
      <Stack>
        <Text>
          {texts.forEmail} <strong>{email}</strong>
        </Text>
        {session.data ? (
          <Join token={token} invitation={invitation.data} mine={session.data.user.email} />
        ) : (
          <NewAccount token={token} email={email} />
        )}
      </Stack>
    </SignInFrame>
  )
}

function Join({ token, invitation, mine }: { token: string; invitation: Invitation; mine: string }) {
  const continueTo = useContinue()
  const same = mine.toLowerCase() === invitation.email.toLowerCase()
  const form = useForm({
    schema: z.object({}),
    initial: {},
    submit: async () => {
      await call('POST', same ? `${pathOf(token)}/accept` : '/api/auth/sign-out', { body: {} })
      if (!same) forgetAllGuides()
      await continueTo(same ? '/' : withoutBasePath(window.location.pathname))
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        {same ? null : <Text>{texts.otherPerson(mine, invitation.email)}</Text>}
        <Button type="submit" variant={same ? 'filled' : 'default'} loading={form.sending}>
          {same ? texts.join(invitation.workspace) : texts.signOut}
        </Button>
      </Stack>
    </form>
  )
}

const schema = z.object({ name: nameField, password: newPasswordField })

function NewAccount({ token, email }: { token: string; email: string }) {
  const continueTo = useContinue()
  const form = useForm({
    schema,
    initial: { name: '', password: '' },
    submit: async (body) => {
      await call('POST', `${pathOf(token)}/accept`, { body })
      await continueTo()
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        <TextInput label={texts.name} autoComplete="name" {...form.field('name')} />
        <NewPassword label={texts.password} email={email} field={form.field('password')} />
        <Button type="submit" loading={form.sending}>
          {texts.submit}
        </Button>
        <Text size="sm" c="dimmed">
          {texts.haveAccount}{' '}
          <TextLink to="/sign-in" search={{ return: `/invitation/${token}` }}>
            {texts.signIn}
          </TextLink>
        </Text>
      </Stack>
    </form>
  )
}

function pathOf(token: string): string {
  return `/invitations/${encodeURIComponent(token)}`
}
