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

/** Visitors may read spaces, content and search, but not people, roles or permissions. */
export const isOpenToVisitors = (pattern: string): boolean => openPatterns.some((open) => open.test(pattern))

const openPatterns = [
  /^\/spaces(\/\{id\}(\/(pages|blogposts))?)?$/,
  /^\/(page|blogpost)s(\/\{id\}(\/(attachments|footer-comments|inline-comments|labels|versions|ancestors|descendants|direct-children|children))?)?$/,
  /^\/(folder|whiteboard|database)s\/\{id\}(\/(ancestors|descendants|direct-children))?$/,
  /^\/attachments(\/\{id\})?$/,
  /^\/(footer|inline)-comments(\/\{id\}(\/children)?)?$/,
  /^\/content\/search$/,
  /^\/content\/\{id\}\/child\/attachment\/\{attachmentId\}\/download$/,
  /^\/space\/\{key\}$/,
]
