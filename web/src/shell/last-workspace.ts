import type { Session, Workspace } from '../service/types.ts'

const NAME = 'millrace.workspace'

export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(NAME, id)
  } catch {
    // Without storage, the next visit costs one click.
  }
}

/** The only workspace of a personal account, else the last used. */
export function usualWorkspace({ tier, workspaces }: Session): Workspace | undefined {
  if (tier === 'personal') return workspaces[0]
  try {
    const last = localStorage.getItem(NAME)
    return workspaces.find(({ id }) => id === last)
  } catch {
    return undefined
  }
}
