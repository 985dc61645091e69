import type { GroupName, PersonName } from './people.ts'

/** Plain data of the sample, independent of how a wiki serves it. */
export type SpaceKey = 'ENG' | 'PPL' | 'FIN' | 'HB'

export interface Readers {
  people?: PersonName[]
  groups?: GroupName[]
}

export interface SampleFile {
  title: string
  /** `broken-pdf` is noise with a PDF header; no parser can read it. */
  kind: 'pdf' | 'broken-pdf' | 'png' | 'csv'
  lines: string[]
}

export interface SamplePage {
  /** Unique in the sample; `parent` names one. */
  slug: string
  space: SpaceKey
  title: string
  parent?: string
  author: PersonName
  created: string
  modified?: string
  labels?: string[]
  archived?: boolean
  body: string
  /** Read restriction of the page itself; undefined for none. */
  read?: Readers
  update?: Readers
  files?: SampleFile[]
}
