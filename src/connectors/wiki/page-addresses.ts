import type { FieldMeta, SourceType } from '../type.ts'

/** `/wiki` is not part of the name of a Cloud site; on Data Center it is. */
const CONTEXT = '^([^/?]+(?:/[^?]*?)??)(/wiki)?'
const recordIds = ['$1/$3', '$1$2/$3']

export const documentAddresses: NonNullable<SourceType['documentAddresses']> = [
  {
    pattern: `${CONTEXT}/(?:spaces|display)/[^/?]+/(?:pages|blog)(?:/\\d{4}/\\d{2}/\\d{2})?/(\\d+)`,
    recordIds,
  },
  { pattern: `${CONTEXT}/pages/\\w+\\.action\\?(?:.*&)?pageId=(\\d+)`, recordIds },
  { pattern: `${CONTEXT}/pages/(\\d+)`, recordIds },
]

const CLOUD = '^(https://[^/?#]+\\.(?:atlassian\\.net|jira\\.com))'
/** The context path of Data Center is everything before a path of the product. */
const SERVER = '^(https?://[^/?#]+(?:/[^/?#]+)*?)'

/** From the address of a page or space to the address of the wiki. */
export const addressShortenings: NonNullable<FieldMeta['shortens']> = [
  { pattern: `${CLOUD}/wiki/(?:spaces|display)/([^/?#]+)`, value: '$1', scope: '$2' },
  { pattern: `${CLOUD}[/?#].`, value: '$1' },
  { pattern: `${SERVER}/(?:spaces|display)/(?!view)([^/?#.]+)(?=[/?#]|$)`, value: '$1', scope: '$2' },
  {
    pattern: `${SERVER}/(?:spaces|pages|collector|users)/\\w+\\.action\\?(?:.*&)?(?:key|spaceKey)=([^&#]+)`,
    value: '$1',
    scope: '$2',
  },
  {
    pattern: `${SERVER}/(?:spaces|display|pages|collector|users|x|label|plugins|rest|download)(?:[/?#]|$)`,
    value: '$1',
  },
  { pattern: `${SERVER}/?(?:/\\w+\\.action)?[?#]`, value: '$1' },
  { pattern: `${SERVER}/\\w+\\.action$`, value: '$1' },
]
