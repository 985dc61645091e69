import { ANONYMOUS, type AnyOf, AUTHENTICATED, LICENSED } from '../../../permissions/principals.ts'
import { type GroupMembership, VISITOR_MEMBERSHIP } from '../../source.ts'
import type { AccountResponse } from '../responses.ts'

/** An account as the wiki describes it; `null` and `unknown` grant nothing. */
export type Account = {
  id: string
  name: string | null
  type: 'atlassian' | 'app' | 'customer' | 'unknown'
  status: 'active' | 'inactive' | 'closed' | 'unknown'
  /** An external collaborator, invited to single spaces. */
  guest: boolean | null
  /** May use the product. */
  licensed: boolean | null
}

const TYPES = ['atlassian', 'app', 'customer'] as const
const STATUSES = ['active', 'inactive', 'closed'] as const

export function toAccount(response: AccountResponse): Account[] {
  const { type, accountId, accountType, accountStatus, displayName, publicName } = response
  if (!accountId || type === 'anonymous') return []
  const name = displayName ?? publicName ?? null
  return [
    {
      id: accountId,
      name,
      type: TYPES.find((each) => each === accountType) ?? 'unknown',
      status: STATUSES.find((status) => status === accountStatus) ?? 'unknown',
      guest: anyGuest(response.isGuest, response.isExternalCollaborator),
      licensed: licenceOf(response, name),
    },
  ]
}

/** Closed accounts and those of apps and customers are left out. */
export function toAccountEmail(response: AccountResponse) {
  const [account] = toAccount(response)
  if (!account || account.status === 'closed') return []
  if (account.type === 'app' || account.type === 'customer') return []
  return [{ account: account.id, name: account.name, email: response.email?.trim() || null }]
}

/** Some responses mark unlicensed accounts only in the name. */
function licenceOf({ operations }: AccountResponse, name: string | null): boolean | null {
  if (name && /\(unlicensed\)\s*$/i.test(name)) return false
  if (!operations) return null
  return operations.some(({ operation, targetType }) => operation === 'use' && targetType === 'application')
}

/** Without listed operations an unmarked name counts as licensed. */
export function assumeLicence(account: Account): Account {
  return account.licensed === null && account.name !== null ? { ...account, licensed: true } : account
}

/** Fields may disagree; one `true` is enough. */
function anyGuest(...answers: (boolean | null | undefined)[]): boolean | null {
  if (answers.includes(true)) return true
  return answers.includes(false) ? false : null
}

/** Later responses win, but an account once seen as a guest or unlicensed stays so. */
export function mergeAccounts(before: Account | undefined, { type, status, ...after }: Account): Account {
  if (!before) return { ...after, type, status }
  return {
    id: after.id,
    name: after.name ?? before.name,
    type: type === 'unknown' ? before.type : type,
    status: status === 'unknown' ? before.status : status,
    guest: anyGuest(before.guest, after.guest),
    licensed: before.licensed === false ? false : (after.licensed ?? before.licensed),
  }
}

/** Deactivated and closed accounts see nothing, not even anonymous content. */
export function isInactive({ status }: Account): boolean {
  return status === 'inactive' || status === 'closed'
}

/** Own grants and groups do not count. */
export function isIgnored(account: Account): boolean {
  return isInactive(account) || isUnlicensed(account)
}

/** Known to have no access to the product. Guests have access without a licence, customers never. */
function isUnlicensed({ guest, licensed, type }: Account): boolean {
  return guest !== true && (licensed === false || type === 'customer')
}

/** What an account with these groups belongs to; null for no account. */
export function membershipOf(account: Account | null, groups: string[]): GroupMembership {
  // Without a status the account may be deactivated, and without a name unlicensed.
  if (!account || account.status === 'unknown' || (account.name ?? account.licensed) === null)
    return VISITOR_MEMBERSHIP
  if (isInactive(account)) return { account: 'inactive', groups: [], classes: [] }
  const classes = classesOf(account)
  return isIgnored(account)
    ? { account: 'unlicensed', groups: [], classes }
    : { account: 'known', groups, classes }
}

/** The groups and people who may use the product, where accounts do not tell. */
export type ProductAccess = Pick<AnyOf, 'users' | 'groups'>

/** The account with its licence, if someone with these groups would have one. */
export function withLicence(account: Account, access: ProductAccess | null, groups: string[]): Account {
  if (!access) return account
  return { ...account, licensed: access.users.has(account.id) || groups.some((id) => access.groups.has(id)) }
}

/** Whether the classes are known without another request. */
export function hasKnownClasses(account: Account): boolean {
  return inClass(account, LICENSED) !== undefined && inClass(account, AUTHENTICATED) !== undefined
}

export function inClass(account: Account, name: string): boolean | undefined {
  if (name === ANONYMOUS) return !isInactive(account)
  if (name === AUTHENTICATED) return all([isActive(account), negate(account.guest)])
  if (name !== LICENSED) return undefined
  const isPerson = account.type === 'unknown' ? undefined : account.type === 'atlassian'
  const isLicensed = account.licensed ?? undefined
  return all([isActive(account), negate(account.guest), isPerson, isLicensed])
}

/** The classes that the account provably belongs to. */
function classesOf(account: Account): string[] {
  return [ANONYMOUS, AUTHENTICATED, LICENSED].filter((name) => inClass(account, name) === true)
}

function isActive({ status }: Account): boolean | undefined {
  return status === 'unknown' ? undefined : status === 'active'
}

function negate(value: boolean | null): boolean | undefined {
  return value === null ? undefined : !value
}

/** False if any is false, else undefined if any is undefined. */
function all(answers: (boolean | undefined)[]): boolean | undefined {
  if (answers.includes(false)) return false
  return answers.includes(undefined) ? undefined : true
}
