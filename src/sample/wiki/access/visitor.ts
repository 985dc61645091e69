import type { Account } from '../model/model.ts'

/** Someone without credentials. The id is no person's, so that only anonymous rows hold for it. */
export const visitor = (): Account => ({
  name: 'visitor',
  accountId: 'anonymous',
  email: '',
  apiToken: '',
  scopedToken: '',
  bearer: '',
  pat: '',
  username: '',
  password: '',
  seesAll: false,
  hiddenSpaces: new Set(),
  hiddenNodes: new Set(),
  forbidden: true,
  admin: false,
  mayCheck: false,
  adminKeyUntil: 0,
  scopes: null,
  timeZoneMinutes: 0,
})

/** What a visitor may ask of Cloud: spaces, pages and search, not people, roles or permissions. */
export const visitorMayAsk = (pattern: string): boolean =>
  /^\/(spaces|spaces\/\{id\}(\/(pages|blogposts))?|(pages|blogposts)(\/\{id\})?|content\/search|space\/\{key\})$/.test(
    pattern,
  )
