export type PreviewElement = {
  type: string
  element_id: string
  text: string
  metadata: Record<string, unknown>
}

export type PreviewNode = {
  node: { type: string; subtype: string; name: string }
  total: number
  elements: PreviewElement[]
  dims?: number
  sample?: number[]
}

type Permissions = { read?: { users: string[]; groups: string[]; access_classes?: string[] } }

export type PreviewDocument = {
  record_id: string
  title: string
  url: string
  filetype: string | null
  html: string | null
  /** Stored with every element in the index. */
  data_source: { permissions_data?: Permissions[] } | null
  nodes: PreviewNode[]
  warnings: { code: string; count: number; message: string }[]
  error: { code: string; message: string } | null
}

export type PreviewResponse = { documents: PreviewDocument[] }
