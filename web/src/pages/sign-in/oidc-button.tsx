import { Button, Divider } from '@mantine/core'
import * as z from 'zod/mini'
import { FormErrors } from '../../components/form-errors.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { signInTexts } from '../../texts/sign-in.ts'

type Props = { label: string; returnTo: string; setupToken?: string }

/** Signs in through the configured identity provider. */
export function OidcButton({ label, returnTo, setupToken }: Props) {
  const form = useForm({
    schema: z.object({}),
    initial: {},
    submit: async () => {
      const body = {
        providerId: 'oidc',
        callbackURL: returnTo,
        errorCallbackURL: '/sign-in',
        ...(setupToken ? { setup_token: setupToken } : {}),
      }
      const { url } = await call<{ url: string }>('POST', '/api/auth/sign-in/oauth2', { body })
      window.location.assign(url)
    },
  })
  return (
    <form {...form.form}>
      <Divider label={signInTexts.or} my="md" />
      <FormErrors failure={form.failure} />
      <Button type="submit" variant="default" fullWidth loading={form.sending}>
        {label}
      </Button>
    </form>
  )
}
