import type { ResponseOf } from '../../../service/types.ts'

type Previewed = ResponseOf<'POST /api/v1/workflows/{id}/preview'>['documents'][number]
export type PreviewNode = Previewed['nodes'][number]
export type PreviewElement = PreviewNode['elements'][number]

type Permissions = { read?: { users: string[]; groups: string[]; access_classes?: string[] } }

export type PreviewDocument = Omit<Previewed, 'data_source'> & {
  /** Stored with every element in the index. */
  data_source: { permissions_data?: Permissions[] } | null
}

export type PreviewResponse = { documents: PreviewDocument[] }
