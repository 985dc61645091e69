import {
  createRegistry,
  localConnectors,
  type Registry,
  serviceConnectors,
} from '../../../src/connectors/registry.ts'
import { notes } from './notes.ts'
import { shelf } from './shelf.ts'

/** The connectors of a service, and the toys. */
export const serviceWithToys = withToys(serviceConnectors)
/** The connectors of the command line, and the toys. */
export const localWithToys = withToys(localConnectors)

function withToys({ sources, destinations }: Registry): Registry {
  return createRegistry({ sources: [...sources, notes], destinations: [...destinations, shelf] })
}
