import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { FormErrors } from '../../components/form-errors.tsx'
import { TextLink } from '../../components/links.tsx'
import { SignInFrame } from '../../components/sign-in-frame.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import type { ResponseOf } from '../../service/types.ts'
import { resetTexts as texts } from '../../texts/sign-in.ts'
import { newPasswordField } from './account-fields.ts'
import { NewPassword } from './new-password.tsx'
import { useContinue } from './use-continue.ts'

/** Sets a new password and signs in. */
export function ResetPage() {
  const { token } = useParams({ from: '/reset-password/$token' })
  const path = `/password-resets/${encodeURIComponent(token)}`
  const reset = useQuery({
    queryKey: ['reset', token],
    queryFn: ({ signal }) => call<ResponseOf<'GET /api/v1/password-resets/{token}'>>('GET', path, { signal }),
  })
  if (reset.isError) {
    return (
      <SignInFrame title={texts.invalid.title} lead={texts.invalid.text}>
        <TextLink to="/sign-in">{texts.invalid.link}</TextLink>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame title={texts.title} lead={texts.lead}>
      {reset.data ? <ResetForm path={path} email={reset.data.email} /> : <Skeleton height={120} />}
    </SignInFrame>
  )
}

const schema = z.object({ password: newPasswordField })

function ResetForm({ path, email }: { path: string; email: string }) {
  const continueTo = useContinue()
  const form = useForm({
    schema,
    initial: { password: '' },
    submit: async (body) => {
      await call('POST', path, { body })
      await continueTo()
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <Text>
          {texts.account} <strong>{email}</strong>
        </Text>
        <FormErrors failure={form.failure} />
        <NewPassword label={texts.password} email={email} field={form.field('password')} />
        <Button type="submit" loading={form.sending}>
          {texts.submit}
        </Button>
      </Stack>
    </form>
  )
}
