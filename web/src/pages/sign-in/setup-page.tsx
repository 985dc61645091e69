import { Button, PasswordInput, Radio, Stack, TextInput } from '@mantine/core'
import { useSearch } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { FormErrors } from '../../components/form-errors.tsx'
import { TextLink } from '../../components/links.tsx'
import { SignInFrame } from '../../components/sign-in-frame.tsx'
import { useForm } from '../../schema-form/form.ts'
import { call } from '../../service/api.ts'
import { ApiError } from '../../service/errors.ts'
import type { Session } from '../../service/types.ts'
import { setupTexts as texts } from '../../texts/sign-in.ts'
import { emailField, nameField, newPasswordField } from './account-fields.ts'
import { OidcButton } from './oidc-button.tsx'
import { useSetupState } from './setup-state.ts'
import { useContinue } from './use-continue.ts'

/** The link that the service printed creates the first account. */
export function SetupPage() {
  const { token } = useSearch({ from: '/setup' })
  const state = useSetupState()
  if (state && !state.needed) {
    return (
      <SignInFrame title={texts.done.title} lead={texts.done.text}>
        <TextLink to="/sign-in">{texts.done.link}</TextLink>
      </SignInFrame>
    )
  }
  if (!token) return <SignInFrame title={texts.noToken.title}>{texts.noToken.text}</SignInFrame>
  return <SetupForm token={token} oidc={state?.oidc ?? false} />
}

const schema = z
  .object({
    name: nameField,
    email: emailField,
    password: newPasswordField,
    tier: z.enum(['personal', 'business']),
    organisation: z.string().check(z.trim()),
  })
  .check(
    z.refine(({ tier, organisation }) => tier === 'personal' || organisation !== '', {
      path: ['organisation'],
      error: texts.organisationMissing,
    }),
  )

function SetupForm({ token, oidc }: { token: string; oidc: boolean }) {
  const continueTo = useContinue()
  const form = useForm({
    schema,
    initial: { name: '', email: '', password: '', tier: 'personal', organisation: '' },
    submit: async ({ organisation, ...values }) => {
      const body = { token, ...values, ...(values.tier === 'business' ? { organisation } : {}) }
      await call<Session>('POST', '/setup', { body }).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
        throw new ApiError(error.path, 404, { detail: texts.wrongToken })
      })
      await continueTo()
    },
  })
  const tier = form.field('tier')

  return (
    <SignInFrame title={texts.title} lead={texts.lead}>
      <form {...form.form}>
        <Stack gap="md">
          <FormErrors failure={form.failure} />
          <TextInput label={texts.name} autoComplete="name" {...form.field('name')} />
          <TextInput label={texts.email} type="email" autoComplete="username" {...form.field('email')} />
          <PasswordInput
            label={texts.password}
            description={texts.passwordHelp}
            autoComplete="new-password"
            {...form.field('password')}
          />
          <Radio.Group
            label={texts.tier}
            name={tier.name}
            value={tier.value}
            error={tier.error}
            onChange={(value) => form.set({ tier: value === 'business' ? 'business' : 'personal' })}
          >
            <Stack gap="sm" mt="xs">
              <Radio value="personal" label={texts.personal} description={texts.personalHelp} />
              <Radio value="business" label={texts.business} description={texts.businessHelp} />
            </Stack>
          </Radio.Group>
          {tier.value === 'business' ? (
            <TextInput
              label={texts.organisation}
              autoComplete="organization"
              {...form.field('organisation')}
            />
          ) : null}
          <Button type="submit" loading={form.sending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
      {oidc ? <OidcButton returnTo="/" setupToken={token} label={texts.oidc} /> : null}
    </SignInFrame>
  )
}
