import type { Wording } from './expand.ts'
import type { Group, Person } from './model.ts'

/** People and groups as v1 words them: by account id on Cloud, by key and name on Data Center. */
export function userItem(
  { site }: Wording,
  person: Person | undefined,
  showEmail = false,
): Record<string, unknown> {
  const known = person ?? unknownPerson
  if (site === 'dataCenter') {
    const { username, userKey, name } = known
    const profilePicture = {
      path: '/images/icons/profilepics/default.svg',
      width: 48,
      height: 48,
      isDefault: true,
    }
    return {
      type: 'known',
      username,
      userKey,
      displayName: name,
      status: known.active ? 'current' : 'deactivated',
      profilePicture,
    }
  }
  return {
    type: person === undefined ? 'unknown' : 'known',
    accountId: known.accountId,
    accountType: known.accountType,
    email: showEmail && known.emailVisible ? known.email : '',
    publicName: known.name,
    displayName: known.name,
    isExternalCollaborator: known.guest,
    isGuest: known.guest,
  }
}

export function groupItem({ site }: Wording, group: Group): Record<string, unknown> {
  if (site === 'dataCenter') return { type: 'group', name: group.name }
  return { type: 'group', name: group.name, id: group.id, usageType: 'USERBASE_GROUP', managedBy: 'ADMINS' }
}

export const unknownPerson: Person = {
  accountId: 'unknown',
  accountType: 'atlassian',
  name: 'Former user (Deleted)',
  email: '',
  emailVisible: false,
  username: 'unknown',
  userKey: 'unknown',
  active: false,
  licensed: false,
  guest: false,
}
