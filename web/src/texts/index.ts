import { auditTexts } from './audit.ts'
import { bulkTexts } from './bulk.ts'
import { chartTexts } from './charts.ts'
import { connectTexts } from './connect.ts'
import { connectorsTexts } from './connectors.ts'
import { documentTexts } from './documents.ts'
import { homeTexts } from './home.ts'
import { identityTexts } from './identity.ts'
import { incompleteTexts } from './incomplete.ts'
import { jobsTexts, jobTexts } from './jobs.ts'
import { keysTexts } from './keys.ts'
import { labTexts } from './lab.ts'
import { notificationsTexts, webhooksTexts } from './notifications.ts'
import { principalTexts } from './principals.ts'
import { roleTexts } from './roles.ts'
import { sandboxTexts } from './sandbox.ts'
import { settingsTexts } from './settings.ts'
import { shellTexts } from './shell.ts'
import { invitationTexts, resetTexts, setupTexts, signInTexts } from './sign-in.ts'
import { stateTexts } from './states.ts'
import { tryTexts } from './try.ts'
import { workflowsTexts } from './workflows.ts'
import { workspacesTexts } from './workspaces.ts'

/** The whole catalogue, for translations. Screens import the file of their noun, so that they load only their texts. */
export const texts = {
  audit: auditTexts,
  bulk: bulkTexts,
  charts: chartTexts,
  connect: connectTexts,
  connectors: connectorsTexts,
  document: documentTexts,
  home: homeTexts,
  identity: identityTexts,
  incomplete: incompleteTexts,
  invitation: invitationTexts,
  job: jobTexts,
  jobs: jobsTexts,
  keys: keysTexts,
  lab: labTexts,
  notifications: notificationsTexts,
  principals: principalTexts,
  reset: resetTexts,
  roles: roleTexts,
  sandbox: sandboxTexts,
  settings: settingsTexts,
  setup: setupTexts,
  shell: shellTexts,
  signIn: signInTexts,
  states: stateTexts,
  try: tryTexts,
  webhooks: webhooksTexts,
  workflows: workflowsTexts,
  workspaces: workspacesTexts,
}
