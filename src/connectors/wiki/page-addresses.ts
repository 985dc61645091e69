import type { DocumentAddress } from '../connector.ts'

/** `/wiki` belongs to the address of a Cloud site but not to its name; on Data Center it is part of the name. */
const CONTEXT = '^([^/?]+(?:/[^?]*?)??)(/wiki)?'
const recordIds = ['$1/$3', '$1$2/$3']

export const documentAddresses: readonly DocumentAddress[] = [
  {
    pattern: `${CONTEXT}/(?:spaces|display)/[^/?]+/(?:pages|blog)(?:/\\d{4}/\\d{2}/\\d{2})?/(\\d+)`,
    recordIds,
  },
  { pattern: `${CONTEXT}/pages/\\w+\\.action\\?(?:.*&)?pageId=(\\d+)`, recordIds },
  { pattern: `${CONTEXT}/pages/(\\d+)`, recordIds },
]
