import type { DocumentAddress } from '../connector.ts'

/** `/wiki` is not part of the name of a Cloud site; on Data Center it is. */
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
