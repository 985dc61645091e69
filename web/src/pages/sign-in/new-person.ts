import * as z from 'zod/mini'
import { setupTexts as texts } from '../../texts/sign-in.ts'

// As the service has it; said here so that nobody has to send a form to learn it.
export const PASSWORD_CHARACTERS = 12

export const nameField = z.string().check(z.trim(), z.minLength(1, texts.nameMissing))
export const emailField = z.string().check(z.trim(), z.regex(/^\S+@\S+$/, texts.emailWrong))
export const newPasswordField = z.string().check(z.minLength(PASSWORD_CHARACTERS, texts.passwordShort))
