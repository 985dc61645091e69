import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { workspaceRoute } from '../../shell/root.ts'
import { oneOf, textIn } from '../../shell/search-values.ts'
import { storedGuide } from './stored-guide.ts'
import { type GuideAddress, guideSteps } from './types.ts'

export const connectRoutes = [
  createRoute({
    getParentRoute: () => workspaceRoute,
    path: 'connect',
    validateSearch: (search: Record<string, unknown>): GuideAddress => ({
      source: textIn(search, 'source'),
      destination: textIn(search, 'destination'),
      workflow: textIn(search, 'workflow'),
      job: textIn(search, 'job'),
      step: oneOf(search.step, guideSteps),
    }),
    // Continues where the person left it.
    beforeLoad: ({ search, params }) => {
      if (search.source || search.destination || search.step === 'source') return
      const { source, destination, ...stored } = storedGuide(params.workspaceId)
      if (!source && !destination) return
      throw redirect({
        to: '/w/$workspaceId/connect',
        params,
        search: { ...stored, source, destination, step: search.step ?? stored.step },
        replace: true,
      })
    },
    component: lazyRouteComponent(() => import('./connect-page.tsx'), 'ConnectPage'),
  }),
] as const
