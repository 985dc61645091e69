import type { Session, Workspace } from '../service/types.ts'

const NAME = 'millrace.workspace'

export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(NAME, id)
  } catch {
    // A browser that keeps nothing only costs a click at the next visit.
  }
}

/** Where an address without a workspace leads: the only one of a personal account, else the one used last. */
export function usualWorkspace({ tier, workspaces }: Session): Workspace | undefined {
  if (tier === 'personal') return workspaces[0]
  try {
    const last = localStorage.getItem(NAME)
    return workspaces.find(({ id }) => id === last)
  } catch {
    return undefined
  }
}
