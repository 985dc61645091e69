import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { textIn } from '../../shell/search-values.ts'
import { type View, viewIn } from './views.ts'

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
    path: 'workflows/new/simple',
    validateSearch: (search: Record<string, unknown>): { source?: string | undefined } => ({
      source: textIn(search, 'source'),
    }),
    component: lazyRouteComponent(() => import('./simple-page.tsx'), 'SimplePage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows/new/custom',
    validateSearch: (search: Record<string, unknown>): NewWorkflowSearch => ({
      view: viewIn(search.view),
      from: textIn(search, 'from'),
    }),
    component: lazyRouteComponent(() => import('./custom-page.tsx'), 'CustomPage'),
  }),
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'workflows/$workflowId',
    validateSearch: (search: Record<string, unknown>): { view?: View | undefined } => ({
      view: viewIn(search.view),
    }),
    component: lazyRouteComponent(() => import('./workflow-page.tsx'), 'WorkflowPage'),
  }),
] as const
