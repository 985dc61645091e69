import type { Egress } from '../egress/egress.ts'
import type { WikiConfig } from './config.ts'
import type { TransportOptions } from './transport/transport.ts'

export type WikiOptions = TransportOptions & {
  /** Replaces the vendor's gateway for scoped tokens, in tests. */
  gatewayOrigin?: string
  /** Pages that a listing loads together, in tests. */
  batchSize?: number
}
export type OpenOptions = { config: WikiConfig; egress: Egress; options: WikiOptions }
