import { PasswordInput } from '@mantine/core'
import type { FieldProps } from '../../schema-form/form.ts'
import { setupTexts } from '../../texts/sign-in.ts'

type Props = { label: string; email: string; field: FieldProps<string> }

/** A new password, with the account for the password manager. */
export function NewPassword({ label, email, field }: Props) {
  return (
    <>
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordInput
        label={label}
        description={setupTexts.passwordHelp}
        autoComplete="new-password"
        {...field}
      />
    </>
  )
}
