import { readFile } from 'node:fs/promises'
import type { Principals } from '../../permissions/principals.ts'

/** The sample as data: pages, people, groups and restrictions. `npm run sample` writes it. */
export type SampleFile = {
  /** The account that reads the pages; one of the people. */
  self: string
  people: SamplePerson[]
  groups: SampleGroup[]
  /** The same query of people who find different pages. */
  searches: { person: string; query: string }[]
  spaces: SampleSpace[]
  /** Parents come before their children. */
  pages: SamplePage[]
}

type SamplePerson = { id: string; name: string; email: string; role: string }
type SampleGroup = { id: string; name: string; members: string[] }

/** `removeOwn` may delete pages that they created. */
export type SampleSpace = { id: string; key: string; name: string } & Record<
  'read' | 'edit' | 'remove' | 'removeOwn',
  Principals
>

/** `read` and `update` are restrictions of the page itself; those for reading apply to pages below too. */
export type SamplePage = {
  id: string
  space: string
  parent?: string
  title: string
  version: string
  createdAt: string
  modifiedAt: string
  author: string
  labels: string[]
  read?: Principals
  update?: Principals
  /** HTML. */
  body: string
}

let loading: Promise<SampleFile> | undefined

/** Read once, on the first use. */
export function loadSample(): Promise<SampleFile> {
  loading ??= readFile(new URL('sample.json', import.meta.url), 'utf8')
    .then((text) => JSON.parse(text))
    .catch((error) => {
      loading = undefined
      throw error
    })
  return loading
}
