import type { Group, WikiPerson } from '../model/model.ts'
import { baseOf, type Expand, type V1Context } from './expand.ts'

/** Which parts of a person an endpoint shows. */
export interface UserFields {
  email?: boolean
  /** User search and group members mark unlicensed people in the name. */
  marked?: boolean
  expand?: Expand
}

/** People and groups in v1: by account id on Cloud, by key and name on Data Center. */
export function userItem(
  context: V1Context,
  person: WikiPerson | undefined,
  shown: UserFields = {},
): Record<string, unknown> {
  const known = person ?? unknownPerson
  if (context.site === 'dataCenter') return dataCenterUser(known, shown)
  const name = `${nameOf(known)}${shown.marked && isUnlicensed(known) ? ' (Unlicensed)' : ''}`
  const operations = isLicensed(known) ? [{ operation: 'use', targetType: 'application' }] : []
  return {
    type: person === undefined ? 'unknown' : 'known',
    accountId: known.accountId,
    accountType: known.accountType,
    email: shown.email ? emailOf(known) : '',
    publicName: name,
    displayName: name,
    isExternalCollaborator: known.guest,
    isGuest: known.guest,
    ...(context.call.world.settings.v1AccountStatus ? { accountStatus: statusOf(known) } : {}),
    profilePicture: { path: '/wiki/aa-avatar/default', width: 48, height: 48, isDefault: true },
    ...(shown.expand?.has('operations')
      ? { operations, _expandable: {} }
      : { _expandable: { operations: '' } }),
    _links: { self: `${baseOf(context)}/rest/api/user?accountId=${encodeURIComponent(known.accountId)}` },
  }
}

/** The status appears only if expanded; deactivated people look like others without it. */
function dataCenterUser(known: WikiPerson, { expand }: UserFields): Record<string, unknown> {
  const { username, userKey, name, active, closed } = known
  const status = closed ? 'deleted' : active ? 'current' : 'deactivated'
  const profilePicture = {
    path: '/images/icons/profilepics/default.svg',
    width: 48,
    height: 48,
    isDefault: true,
  }
  const statusPart = expand?.has('status') ? { status } : { _expandable: { status: '' } }
  return { type: 'known', username, userKey, displayName: name, profilePicture, ...statusPart }
}

export const statusOf = ({ active, closed }: WikiPerson): 'active' | 'inactive' | 'closed' =>
  closed ? 'closed' : active ? 'active' : 'inactive'

export const nameOf = ({ name, closed }: WikiPerson): string => (closed ? 'Former user' : name)

export const emailOf = ({ email, emailVisible, closed }: WikiPerson): string =>
  emailVisible && !closed ? email : ''

/** Guests and installed apps may use the product without a seat. */
const isLicensed = ({ licensed, active, closed }: WikiPerson): boolean => licensed && active && !closed

const isUnlicensed = (person: WikiPerson): boolean =>
  person.accountType === 'atlassian' && !person.licensed && !person.closed

export function groupItem({ site }: V1Context, group: Group): Record<string, unknown> {
  if (site === 'dataCenter') return { type: 'group', name: group.name }
  return { type: 'group', name: group.name, id: group.id, usageType: 'USERBASE_GROUP', managedBy: 'ADMINS' }
}

export const unknownPerson: WikiPerson = {
  accountId: 'unknown',
  accountType: 'atlassian',
  name: 'Former user (Deleted)',
  email: '',
  emailVisible: false,
  username: 'unknown',
  userKey: 'unknown',
  active: false,
  closed: false,
  licensed: false,
  guest: false,
}
