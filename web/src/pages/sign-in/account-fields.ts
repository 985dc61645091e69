import * as z from 'zod/mini'
import { setupTexts as texts } from '../../texts/sign-in.ts'

// The service's limits, checked before sending.
const PASSWORD_LENGTH = { min: 12, max: 128 }

export const nameField = z.string().check(z.trim(), z.minLength(1, texts.nameMissing))
export const emailField = z.string().check(z.trim(), z.regex(/^\S+@\S+$/, texts.emailWrong))
export const newPasswordField = z
  .string()
  .check(
    z.minLength(PASSWORD_LENGTH.min, texts.passwordShort),
    z.maxLength(PASSWORD_LENGTH.max, texts.passwordLong),
  )
