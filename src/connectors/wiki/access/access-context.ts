import type { DecisionStore } from '../../type.ts'
import type { Roles, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { type CheckBudget, createCheckBudget } from './check-budget.ts'
import { type Containers, createContainers } from './containers.ts'
import { createDirectory, type WikiDirectory } from './directory.ts'
import { createDisclosedKinds, type DisclosedKinds } from './disclosed-kinds.ts'
import { createSiteGroups, type SiteGroups } from './licensed.ts'

/** The rule for folders, whiteboards and databases if nothing proves whether they are restricted. */
export type Assumption = 'hide' | 'open'

/** Shared by the pages of one listing. */
export type AccessContext = {
  client: WikiClient
  directory: WikiDirectory
  roles: Promise<Roles>
  siteGroups: SiteGroups
  /** The account of the credentials. */
  ownAccount(signal: AbortSignal): Promise<string>
  containers: Containers
  disclosed: DisclosedKinds
  store: DecisionStore | undefined
  /** Checks that prove kept decisions again. */
  rechecks: CheckBudget
  /** Checks that confirm empty lists of restrictions. */
  samples: CheckBudget
  files: boolean
  /** Applies below a folder whose restriction the wiki does not prove. */
  unprovedAncestors: Assumption
}

type AccessInput = {
  client: WikiClient
  config: WikiConfig
  store?: DecisionStore | undefined
  files: boolean
}

/** Accounts, roles and folders are read once. */
export function createAccessContext(
  { client, config, store, files }: AccessInput,
  signal: AbortSignal,
): AccessContext {
  const roles = client.roles(signal)
  roles.catch(() => {})
  const directory = createDirectory(client)
  let ownAccount: Promise<string> | undefined
  const disclosed = createDisclosedKinds(store, client.site.name)
  return {
    client,
    directory,
    roles,
    disclosed,
    store,
    files,
    siteGroups: createSiteGroups(client.permissionChecks, directory),
    ownAccount: (within) => {
      ownAccount ??= client.me(within).then(({ id }) => id)
      return ownAccount
    },
    containers: createContainers(client, disclosed.add),
    rechecks: createCheckBudget({ first: 10, perPage: 0.01 }),
    samples: createCheckBudget({ first: 1, perPage: 0.001 }),
    unprovedAncestors: config.unproved_ancestors,
  }
}
