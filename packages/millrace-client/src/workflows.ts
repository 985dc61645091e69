import type { BodyOf, CallOptions, QueryOf, Request } from './operations.ts'
import { byPage } from './paging.ts'
import type { Workflow } from './schema.ts'

type Listing = Omit<QueryOf<'GET /api/v1/workflows'>, 'page'>

const PAGE_SIZE = 100

/** Workflows: a source, a pipeline and a destination. */
export function workflowsOf(request: Request) {
  return {
    /** All pages, one after the other. */
    list: ({ page_size: size = PAGE_SIZE, ...query }: Listing = {}, options?: CallOptions) =>
      byPage<Workflow>(size, (page) =>
        request('GET /api/v1/workflows', { ...options, query: { ...query, page, page_size: size } }),
      ),
    get: (id: string, options?: CallOptions) =>
      request('GET /api/v1/workflows/{id}', { ...options, path: { id } }),
    create: (body: BodyOf<'POST /api/v1/workflows'>, options?: CallOptions) =>
      request('POST /api/v1/workflows', { ...options, body }),
    update: (id: string, body: BodyOf<'PUT /api/v1/workflows/{id}'>, options?: CallOptions) =>
      request('PUT /api/v1/workflows/{id}', { ...options, path: { id }, body }),
    delete: (id: string, query?: QueryOf<'DELETE /api/v1/workflows/{id}'>, options?: CallOptions) =>
      request('DELETE /api/v1/workflows/{id}', { ...options, path: { id }, query }),
    /** Starts a job; `files` only for a workflow without source and destination. */
    run: (id: string, files: { name: string; content: Blob }[] = [], options?: CallOptions) =>
      request('POST /api/v1/workflows/{id}/run', {
        ...options,
        path: { id },
        body: files.length > 0 ? formOf(files) : undefined,
      }),
    /** Starts a permission pass. */
    syncPermissions: (id: string, options?: CallOptions) =>
      request('POST /api/v1/workflows/{id}/sync-permissions', { ...options, path: { id } }),
    freshness: (id: string, options?: CallOptions) =>
      request('GET /api/v1/workflows/{id}/freshness', { ...options, path: { id } }),
    preview: (id: string, body?: BodyOf<'POST /api/v1/workflows/{id}/preview'>, options?: CallOptions) =>
      request('POST /api/v1/workflows/{id}/preview', { ...options, path: { id }, body }),
  }
}

function formOf(files: { name: string; content: Blob }[]): FormData {
  const form = new FormData()
  for (const { name, content } of files) form.append('input_files', content, name)
  return form
}
