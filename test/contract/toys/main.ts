import { runMillrace } from '../../../src/run-millrace.ts'
import { serviceWithToys } from './registry.ts'

/** The service with the toys, as a process; `startMillrace({ main: TOY_MAIN })` starts it. */
await runMillrace(serviceWithToys)
