import type { SignInMode } from '../type.ts'

/** The schema accepts exactly one of them. */
export const signInModes: readonly SignInMode[] = [
  {
    id: 'api-token',
    title: 'User name and API token',
    description: 'Usual for Confluence Cloud: the account’s e-mail address, and a token from its settings.',
    fields: [
      { name: 'username' },
      {
        name: 'token',
        title: 'API token',
        description: 'Created in the account’s security settings. A scoped one works too.',
      },
    ],
    usualFor: { cloud: true },
  },
  {
    id: 'personal',
    title: 'Personal access token',
    description: 'Usual for Data Center: a token from the profile, without a user name.',
    fields: [
      {
        name: 'token',
        title: 'Personal access token',
        description: 'Created in the profile of the account that reads.',
      },
    ],
    fixed: { cloud: false },
    usualFor: { cloud: false },
  },
  {
    id: 'password',
    title: 'User name and password',
    description: 'If tokens are switched off.',
    fields: [
      { name: 'username' },
      { name: 'password', description: 'The password of the account that reads.' },
    ],
  },
]
