import type { Session, Workspace } from '../service/types.ts'

const STORAGE_KEY = 'millrace.workspace'

export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, id)
  } catch {
    // Without storage, the next visit costs one click.
  }
}

/** The only workspace, else the last used. */
export function defaultWorkspace({ workspaces }: Session): Workspace | undefined {
  if (workspaces.length === 1) return workspaces[0]
  try {
    const last = localStorage.getItem(STORAGE_KEY)
    return workspaces.find(({ id }) => id === last)
  } catch {
    return undefined
  }
}
