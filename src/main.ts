import { serviceConnectors } from './connectors/registry.ts'
import { runMillrace } from './run-millrace.ts'

await runMillrace(serviceConnectors)
