import {
  IconHome,
  IconKey,
  IconListCheck,
  IconPlugConnected,
  IconRoute,
  IconSearch,
  IconSettings,
} from '@tabler/icons-react'
import { may, type Role } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'

const texts = shellTexts.sections

/** The screens of a workspace that a role sees, in the order of the navigation. */
export function sectionsFor(role: Role) {
  const pipeline = [
    { to: '/w/$workspaceId', label: texts.home, Icon: IconHome },
    { to: '/w/$workspaceId/connectors', label: texts.connectors, Icon: IconPlugConnected },
    { to: '/w/$workspaceId/workflows', label: texts.workflows, Icon: IconRoute },
    { to: '/w/$workspaceId/jobs', label: texts.jobs, Icon: IconListCheck },
  ] as const
  const search = may(role, 'administrator') ? texts.lab : texts.search
  return [
    ...(may(role, 'viewer') ? pipeline : []),
    { to: '/w/$workspaceId/search', label: search, Icon: IconSearch },
    { to: '/w/$workspaceId/keys', label: texts.keys, Icon: IconKey },
    { to: '/w/$workspaceId/settings', label: texts.settings, Icon: IconSettings },
  ] as const
}
