import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { generalTerms, type Terms } from '../../texts/nouns.ts'
import { useAllWorkflows } from '../workflows/queries.ts'
import { findType } from './connector-type.ts'
import { useConnectors, useConnectorTypes } from './queries.ts'
import type { ConnectorType, Kind } from './types.ts'

/** The type of each connector by its id; undefined while loading or deleted. */
export function useTypeOf(
  kind: Kind,
  enabled = true,
): (id: string | null | undefined) => ConnectorType | undefined {
  const types = useConnectorTypes(enabled).data
  const connectors = useConnectors(kind, enabled).data
  return (id) => findType(types, kind, connectors?.find((each) => each.id === id)?.type)
}

/** The nouns of a source's type. */
export function useSourceTerms(id: string | null | undefined): Terms {
  return useTypeOf('source')(id)?.terms ?? generalTerms
}

/** The nouns of the sources that write to a destination, if all have the same type. */
export function useSourceTermsOfDestination(destinationId: string | undefined): Terms {
  // Readers may not see connectors and workflows.
  const isViewer = may(useWorkspace().role, 'viewer')
  const typeOf = useTypeOf('source', isViewer)
  const workflows = useAllWorkflows(isViewer).data ?? []
  const own = workflows.filter(({ destinations }) => destinations.some((id) => id === destinationId))
  const types = new Set(own.flatMap(({ sources }) => sources.map(typeOf)))
  const [type] = types
  return types.size === 1 && type ? type.terms : generalTerms
}
