import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { FormErrors } from '../../components/form-errors.tsx'
import { SignInFrame } from '../../components/sign-in-frame.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { signInTexts as texts } from '../../texts/sign-in.ts'
import { OidcButton } from './oidc-button.tsx'
import { oidcErrorText } from './oidc-error.ts'
import { safeReturnAddress } from './return-address.ts'
import { useSetupState } from './setup-state.ts'
import { withOwnMessage } from './sign-in-error.ts'
import { useContinue } from './use-continue.ts'

const schema = z.object({
  email: z.string().check(z.trim(), z.minLength(1, texts.emailMissing)),
  password: z.string().check(z.minLength(1, texts.passwordMissing)),
})

export function SignInPage() {
  const search = useSearch({ from: '/sign-in' })
  const continueTo = useContinue()
  const setup = useSetupState()
  const form = useForm({
    schema,
    initial: { email: '', password: '' },
    submit: async (values) => {
      await call('POST', '/api/auth/sign-in/email', { body: values }).catch(withOwnMessage)
      await continueTo(search.return)
    },
  })

  return (
    <SignInFrame title={texts.title}>
      <form {...form.form}>
        <Stack>
          {setup?.needed ? <Alert variant="outline">{texts.notSetUp}</Alert> : null}
          <FormErrors failure={form.failure ?? oidcErrorText(search.error)} />
          <TextInput label={texts.email} type="email" autoComplete="username" {...form.field('email')} />
          <PasswordInput label={texts.password} autoComplete="current-password" {...form.field('password')} />
          <Button type="submit" loading={form.sending}>
            {texts.submit}
          </Button>
          <Text size="sm" c="dimmed">
            {texts.forgot}
          </Text>
        </Stack>
      </form>
      {setup?.oidc ? <OidcButton returnTo={safeReturnAddress(search.return)} label={texts.oidc} /> : null}
    </SignInFrame>
  )
}
