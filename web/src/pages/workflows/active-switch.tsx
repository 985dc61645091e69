import { Switch } from '@mantine/core'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import type { Workflow } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'

export function ActiveSwitch({ workflow, disabled }: { workflow: Workflow; disabled: boolean }) {
  const { id, name, status } = workflow
  const api = useApi()
  const toggle = useAction(
    (active: boolean) => api.put<Workflow>(`/workflows/${id}`, { state: active ? 'active' : 'inactive' }),
    {
      refreshes: ['/workflows'],
      notice: (_, active) => (active ? texts.resumedNotice : texts.pausedNotice)(name),
    },
  )
  // Shows the new state while saving.
  const active = toggle.isPending ? toggle.variables : status === 'active'
  return (
    <Switch
      aria-label={texts.toggle(name)}
      label={active ? texts.on : texts.off}
      checked={active}
      disabled={disabled}
      onChange={(event) => toggle.mutate(event.currentTarget.checked)}
    />
  )
}
