import type { SetupStep } from '../type.ts'
import { TOKEN_GRANTS } from './token-grants.ts'

/** What every scoped token needs; the rest depends on settings. */
const always = TOKEN_GRANTS.filter(({ need }) => need === 'always' || need === 'searching as a person')

/** Where tokens are created, and what the account has to see. */
export const wikiSetup: readonly SetupStep[] = [
  {
    title: 'Create an API token',
    text:
      'Sign in to the vendor with the account that reads. Any account with access to the spaces works. ' +
      'A token without scopes has the permissions of its account; a token with scopes needs those below.',
    when: { cloud: true },
    links: [
      {
        title: 'API tokens of the account',
        address: 'https://id.atlassian.com/manage-profile/security/api-tokens',
      },
    ],
    snippets: [
      {
        title: 'Scopes of a scoped token',
        text: [...new Set(always.flatMap(({ granular }) => granular))].join('\n'),
      },
    ],
  },
  {
    title: 'Create a personal access token',
    text:
      'Sign in to the wiki with the account that reads. It has to administer the spaces, so that their permissions ' +
      'can be read, and to be a Confluence administrator, so that the members of groups can be read.',
    when: { cloud: false },
    links: [
      {
        title: 'Personal access tokens of the account',
        address: '{{url}}/plugins/personalaccesstokens/usertokens.action',
      },
    ],
  },
]
