import { z } from 'zod'
import { processFile } from '../../ingest/one-file.ts'
import { defaultNodes, plan } from '../../pipeline/nodes.ts'
import { type ApiContext, type App, callerOf } from '../context.ts'
import { withDeadline } from '../deadline.ts'
import { invalid } from '../errors.ts'
import { cleanFilename } from '../forms/form.ts'
import { elementShape } from '../shapes/element.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 10 * 1024 * 1024
/** A text of 10 MB can have 370,000 elements, which take longer to send than to compute. */
const MAX_ELEMENTS = 2000

const PARTITION_ONLY = plan(defaultNodes().slice(0, 1))

/** The field is private so that body validation does not iterate over the bytes. */
class RawFile {
  readonly #bytes: Buffer
  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }
  get bytes(): Buffer {
    return this.#bytes
  }
}

/** Shows the elements of an uploaded file; stores nothing. */
export async function elementRoutes(outer: App, { resources }: ApiContext): Promise<void> {
  // Here every body is a file, whatever its content type.
  await outer.register(async (scope) => {
    const app = scope as App
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BYTES }, (_request, bytes, done) =>
      done(null, new RawFile(bytes as Buffer)),
    )
    app.post(
      '/elements',
      {
        config: { allows: 'developer', keys: true },
        schema: {
          tags: ['elements'],
          consumes: ['application/octet-stream'],
          querystring: z.strictObject({ filename: z.string().max(255).optional() }),
          body: z
            .custom<RawFile>((given) => given instanceof RawFile && given.bytes.length > 0, {
              error: 'send a file that is not empty as the body',
            })
            .meta({ type: 'string', format: 'binary', minLength: 1 }),
          response: { 200: shape },
        },
      },
      async (request, reply) => {
        callerOf(request)
        if (request.headers['content-type']?.startsWith('multipart/')) {
          throw invalid(['body'], 'send the file itself as the body, as application/octet-stream, not a form')
        }
        const file = { content: request.body.bytes, filename: cleanFilename(request.query.filename) }
        const { filetype, elements } = await withDeadline(
          reply,
          { ms: TIMEOUT_MS, doing: 'reading the file' },
          async (signal) => processFile(file, await resources.runners.create(PARTITION_ONLY), signal),
        )
        return { filetype, total: elements.length, elements: elements.slice(0, MAX_ELEMENTS) }
      },
    )
  })
}

const shape = z.object({ filetype: z.string(), total: z.number(), elements: z.array(elementShape) })
