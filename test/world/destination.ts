import type { Indexed } from './agreement.ts'
import { indexDestination } from './index-destination.ts'
import { tableDestination } from './table-destination.ts'

/** The destination of a world, read and changed as an administrator. */
export type TestDestination = {
  type: 'searchindex' | 'postgres'
  /** Settings, as a user would send them. */
  readonly config: Record<string, unknown>
  /** For MILLRACE_ALLOWED_HOSTS. */
  host: string
  /** A table is created by the first run. */
  create(): Promise<void>
  /** Replaces it with an empty one of the same name. */
  recreate(): Promise<void>
  /** Its elements, ordered by their ids. */
  contents(): Promise<Indexed[]>
  /** Makes all writes visible to searches. */
  refresh(): Promise<void>
  /** Writes an element like another program, under the id that Millrace would use or another. */
  put(source: ForeignSource, id?: string): Promise<void>
  delete(id: string): Promise<void>
  /** Another one on the same server. */
  another(suffix: string): TestDestination
  close(): Promise<void>
}

/** As another program may write it. */
export type ForeignSource = Partial<Omit<Indexed['_source'], 'metadata'>> & {
  metadata?: { data_source?: object; [key: string]: unknown }
}

export function testDestination(type: TestDestination['type']): Promise<TestDestination> {
  return type === 'postgres' ? tableDestination() : indexDestination()
}
