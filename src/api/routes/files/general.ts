import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Element } from '../../../document.ts'
import { invalid } from '../../../errors.ts'
import { processFile } from '../../../ingest/one-file.ts'
import { runnersFor } from '../../../jobs/model-meter.ts'
import { jsonParts } from '../../../json-parts.ts'
import { plan } from '../../../pipeline/nodes.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { toCsv } from '../../http/csv.ts'
import { withDeadline } from '../../http/deadline.ts'
import { acceptForms, withForm } from '../../http/forms/form.ts'
import { readGeneralOptions } from '../../http/forms/general-form.ts'

/** Clients that send scans expect to wait. */
const TIMEOUT_MS = 300_000
const FILE_BYTES = 50 * 1024 * 1024

/** The older endpoint: partitions uploaded files and stores nothing. */
export async function generalRoutes(app: App, { resources, uploads }: ApiContext): Promise<void> {
  await acceptForms(app, { fileBytes: FILE_BYTES })
  app.post(
    '/general',
    { config: { allows: 'developer', keys: true, takesFiles: true }, schema: { tags: ['partition'] } },
    async (request, reply) =>
      withForm(request, { uploads, fileField: 'files' }, async ({ files, fields }) => {
        if (files.length === 0) throw invalid(['body', 'files'], 'Field required', 'missing')
        const { nodes, firstPage, uniqueIds, format } = readGeneralOptions(
          fields,
          resources.runners.configured,
        )
        const { workspaceId } = callerOf(request)
        const runner = await runnersFor(resources, workspaceId).create(plan(nodes))
        const results: Element[][] = []
        await withDeadline(reply, { ms: TIMEOUT_MS, doing: 'partitioning' }, async (signal) => {
          for (const file of files) {
            const { elements } = await uploads.memory.use(
              { key: workspaceId, bytes: file.size },
              signal,
              async () =>
                processFile({ filename: file.filename, content: await file.read() }, runner, signal),
            )
            const shifted = elements.map((each) => shiftPages(firstPage, each))
            results.push(uniqueIds ? withUniqueIds(shifted) : shifted)
          }
        })
        if (format === 'csv')
          return reply.type('text/csv; charset=utf-8').send(Readable.from(toCsv(results.flat())))
        // One file returns its elements, several a list of lists. The elements of a file may take seconds to write.
        const body = results.length === 1 ? jsonParts(results) : nestedJson(results)
        return reply.type('application/json; charset=utf-8').send(Readable.from(body))
      }),
  )
}

async function* nestedJson(lists: Element[][]): AsyncGenerator<string> {
  for (const [at, list] of lists.entries()) {
    yield at === 0 ? '[' : ','
    yield* jsonParts([list])
  }
  yield ']'
}

/** Clients split long files and send the first page number of each part. */
function shiftPages(firstPage: number, element: Element): Element {
  const { page_number: page, ...metadata } = element.metadata
  if (page === undefined || firstPage <= 1) return element
  return { ...element, metadata: { ...metadata, page_number: page + firstPage - 1 } }
}

/** Ids that differ even for files of the same name and text. */
function withUniqueIds(elements: Element[]): Element[] {
  const ids = new Map(elements.map(({ element_id }) => [element_id, randomUUID()]))
  return elements.map((element) => {
    const { parent_id: parent, ...metadata } = element.metadata
    const parentId = parent === undefined ? undefined : ids.get(parent)
    return {
      ...element,
      element_id: ids.get(element.element_id) ?? element.element_id,
      metadata: parentId ? { ...metadata, parent_id: parentId } : metadata,
    }
  })
}
