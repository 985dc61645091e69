import type { ApiAccount } from './model/model.ts'

/** The callers of the simulated wiki; none is a real secret. */
export type AccountName = 'crawler' | 'limited' | 'powerless' | 'member' | 'admin'

interface Credentials {
  email: string
  apiToken: string
  scopedToken: string
  bearer: string
  pat: string
  username: string
  password: string
}

export const accounts: Record<AccountName, Credentials> = {
  /** Sees every page, and may read restrictions, space permissions and group members. */
  crawler: credentials('crawler'),
  /** The same, but cannot see one space. */
  limited: credentials('limited'),
  /** Sees every page; 403 on restrictions, space permissions and group members. */
  powerless: credentials('powerless'),
  /** An ordinary person: sees exactly what `canRead` says. */
  member: credentials('member'),
  /** A site administrator: like `member`, until an admin key is active. */
  admin: credentials('admin'),
}

export const accountNames = Object.keys(accounts) as AccountName[]

export function newAccount(name: AccountName, accountId: string): ApiAccount {
  return {
    name,
    accountId,
    ...accounts[name],
    seesAll: name === 'crawler' || name === 'limited' || name === 'powerless',
    hiddenSpaces: new Set(),
    hiddenNodes: new Set(),
    forbidden: name === 'powerless',
    admin: name === 'admin' || name === 'crawler' || name === 'limited',
    mayCheck: name !== 'member',
    adminKeyUntil: 0,
    scopes: null,
    timeZoneMinutes: 0,
  }
}

function credentials(name: string): Credentials {
  return {
    email: `${name}@acme.example`,
    apiToken: `ATATT-classic-${name}`,
    scopedToken: `ATATT-scoped-${name}`,
    bearer: `ATST-service-${name}`,
    pat: `PAT-${name}`,
    username: name,
    password: `password of ${name}`,
  }
}
