import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NotFound } from '../components/not-found.tsx'
import { useChosenWorkspace } from '../service/session.ts'
import { rememberWorkspace } from './last-workspace.ts'

/** Screens of one workspace. Another's is no different from one that does not exist. */
export function WorkspaceOutlet() {
  const workspace = useChosenWorkspace()
  useEffect(() => {
    if (workspace) rememberWorkspace(workspace.id)
  }, [workspace])
  // Another workspace is another screen: nothing typed or opened in one is carried into the other.
  return workspace ? <Outlet key={workspace.id} /> : <NotFound />
}
