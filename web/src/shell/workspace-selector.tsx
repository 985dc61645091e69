import { Group, NativeSelect, Text } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useChosenWorkspace } from '../service/session.ts'
import type { Session } from '../service/types.ts'
import { shellTexts } from '../texts/shell.ts'

/** Changing the workspace keeps the section. */
export function WorkspaceSelector({ session }: { session: Session }) {
  const navigate = useNavigate()
  const chosen = useChosenWorkspace()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <Group gap="xs" wrap="nowrap" ml={{ base: 0, sm: 'xl' }} miw={0}>
      <Text size="sm" c="dimmed" truncate visibleFrom="sm" maw={240} title={shellTexts.organisation}>
        {session.organisation?.name}
      </Text>
      <Text c="dimmed" visibleFrom="sm" aria-hidden="true">
        /
      </Text>
      <NativeSelect
        aria-label={shellTexts.workspace}
        size="xs"
        w={{ base: 184, sm: 220 }}
        value={chosen?.id ?? ''}
        onChange={({ currentTarget: { value } }) => {
          if (value) void navigate({ to: `/w/${value}/${sectionOf(pathname)}` })
        }}
      >
        {chosen ? null : <option value="">{shellTexts.chooseWorkspace}</option>}
        {session.workspaces.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </NativeSelect>
    </Group>
  )
}

/** `/w/1/jobs/17` is in the section jobs; ids do not carry over. */
function sectionOf(pathname: string): string {
  const steps = pathname.split('/').filter(Boolean)
  return (steps[0] === 'w' ? steps[2] : steps[0]) ?? ''
}
