import type { ApiAccount } from '../model/model.ts'

/**
 * Scopes of a scoped token: `|` separates alternatives (classic, granular), `+` joins several. Granular ones
 * omit `:confluence`; v2 knows only those.
 */
export const scopes = {
  search: 'search:confluence | read:content-details',
  restriction: 'read:confluence-content.all | read:content-details',
  check: 'read:confluence-content.permission | read:content.permission',
  download: 'readonly:content.attachment | read:attachment',
  group: 'read:confluence-groups | read:group',
  members: 'read:confluence-groups | read:group + read:user',
  user: 'read:confluence-user | read:content-details',
  memberOf: 'read:confluence-user | read:user + read:group',
  searchUser: 'read:content-details',
  systemInfo: 'read:confluence-space.summary | read:configuration',
  page: 'read:page',
  attachment: 'read:attachment',
  comment: 'read:comment',
  folder: 'read:folder',
  whiteboard: 'read:whiteboard',
  database: 'read:database',
  space: 'read:space',
  roles: 'read:space.permission',
  roleMode: 'read:configuration',
  ancestors: 'read:content.metadata',
  descendants: 'read:hierarchical-content',
  usersBulk: 'read:user',
  none: '',
} as const

export function hasScope({ scopes: held }: ApiAccount, wanted: string): boolean {
  if (held === null || wanted === '') return true
  const has = (scope: string): boolean => held.has(scope) || held.has(`${scope}:confluence`)
  return wanted.split(' | ').some((all) => all.split(' + ').every(has))
}
