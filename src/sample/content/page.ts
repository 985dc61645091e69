import type { GroupName, PersonName } from './people.ts'

/** The plain data of the sample: what the simulated wiki loads, with no idea of how a wiki serves it. */
export type SpaceKey = 'ENG' | 'PPL' | 'FIN' | 'HB'

export interface Readers {
  people?: PersonName[]
  groups?: GroupName[]
}

export interface SampleFile {
  title: string
  /** `broken-pdf` claims to be a PDF and is noise: no parser can read it. */
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
  /** Who may view it, beside what the space and the pages above say. Left out: not restricted here. */
  read?: Readers
  update?: Readers
  files?: SampleFile[]
}
