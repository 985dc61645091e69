import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { type View, views } from './types.ts'

type NewWorkflowSearch = { view?: View | undefined; from?: string | undefined }

export const workflowRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows',
    component: lazyRouteComponent(() => import('./workflows-page.tsx'), 'WorkflowsPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows/new',
    component: lazyRouteComponent(() => import('./new-workflow-page.tsx'), 'NewWorkflowPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows/new/custom',
    validateSearch: (search: Record<string, unknown>): NewWorkflowSearch => ({
      view: oneOf(search.view, views),
      from: textIn(search, 'from'),
    }),
    component: lazyRouteComponent(() => import('./workflow-page.tsx'), 'NewWorkflow'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows/$workflowId',
    validateSearch: (search: Record<string, unknown>): { view?: View | undefined } => ({
      view: oneOf(search.view, views),
    }),
    component: lazyRouteComponent(() => import('./workflow-page.tsx'), 'WorkflowPage'),
  }),
] as const
