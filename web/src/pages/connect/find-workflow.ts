import type { Workflow } from '../../service/types.ts'
import { findType, locationOf } from '../connectors/connector-type.ts'
import type { Connector, ConnectorType, Kind } from '../connectors/types.ts'

type Known = {
  types: ConnectorType[]
  sources: Connector[]
  destinations: Connector[]
  workflows: Workflow[]
}
type Pair = { source: Connector; destination: Connector }

/** The workflow that already copies from the one to the other, also under other names. */
export function findWorkflow(
  { types, sources, destinations, workflows }: Known,
  { source, destination }: Pair,
): Workflow | undefined {
  const addressOf = (kind: Kind, { id, type: name, config }: Connector) => {
    const type = findType(types, kind, name)
    return (type && locationOf(type, config)) || id
  }
  const same = (kind: Kind, all: Connector[], one: Connector) =>
    all.filter((other) => addressOf(kind, other) === addressOf(kind, one)).map(({ id }) => id)
  const from = same('source', sources, source)
  const to = same('destination', destinations, destination)
  return workflows.find(
    (each) => each.sources.some((id) => from.includes(id)) && each.destinations.some((id) => to.includes(id)),
  )
}
