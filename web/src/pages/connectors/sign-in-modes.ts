import type { Modes } from '../../schema-form/modes.ts'
import { connectorsTexts } from '../../texts/connectors.ts'

const texts = connectorsTexts.signIn

/** The three ways a wiki lets somebody in; src/connectors/wiki/config.ts takes exactly one. */
const wiki: Modes = {
  label: texts.label,
  options: [
    {
      value: 'api-token',
      label: texts.apiToken,
      help: texts.apiTokenHelp,
      shows: ['username', 'token'],
      titles: { token: texts.apiTokenTitle },
      helps: { token: texts.apiTokenFieldHelp },
    },
    {
      value: 'personal',
      label: texts.personal,
      help: texts.personalHelp,
      shows: ['token'],
      titles: { token: texts.personalTitle },
      helps: { token: texts.personalFieldHelp },
      fixed: { cloud: false },
    },
    {
      value: 'password',
      label: texts.password,
      help: texts.passwordHelp,
      shows: ['username', 'password'],
      helps: { password: texts.passwordFieldHelp },
    },
  ],
}

export function modesOf(type: string): Modes | undefined {
  return type === 'wiki' ? wiki : undefined
}
