import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { NotFound } from '../components/not-found.tsx'
import { useChosenWorkspace } from '../service/session.ts'
import { rememberWorkspace } from './last-workspace.ts'

/** Workspaces without membership show the same screen as missing ones. */
export function WorkspaceOutlet() {
  const workspace = useChosenWorkspace()
  useEffect(() => {
    if (workspace) rememberWorkspace(workspace.id)
  }, [workspace])
  // Remounts, so that no input carries over to another workspace.
  return workspace ? <Outlet key={workspace.id} /> : <NotFound />
}
