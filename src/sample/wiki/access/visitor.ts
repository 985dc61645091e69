import type { ApiAccount } from '../model/model.ts'

/** A caller without credentials. No person has this id, so only anonymous rows apply. */
export const visitor = (): ApiAccount => ({
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

/** Visitors may request spaces, pages and search, but not people, roles or permissions. */
export const isOpenToVisitors = (pattern: string): boolean =>
  /^\/(spaces|spaces\/\{id\}(\/(pages|blogposts))?|(pages|blogposts)(\/\{id\})?|content\/search|space\/\{key\})$/.test(
    pattern,
  )
