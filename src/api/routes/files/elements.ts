import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError, invalid } from '../../../errors.ts'
import { processFile } from '../../../ingest/one-file.ts'
import { runnersFor } from '../../../jobs/model-meter.ts'
import { defaultNodes, plan } from '../../../pipeline/nodes.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { cleanFilename } from '../../http/forms/form.ts'
import type { ArrivingUpload, SpooledFile } from '../../http/forms/uploads.ts'
import { elementShape } from '../../shapes/element.ts'

const TIMEOUT_MS = 60_000
const MAX_BYTES = 10 * 1024 * 1024
/** A text of 10 MB can have 370,000 elements, which take longer to send than to compute. */
const MAX_ELEMENTS = 2000

const EMPTY = 'send a file that is not empty as the body'

const PARTITION_ONLY = plan(defaultNodes().slice(0, 1))

/** The field is private so that body validation does not iterate over the stream. */
class RawFile {
  readonly #stream: Readable
  constructor(stream: Readable) {
    this.#stream = stream
  }
  get stream(): Readable {
    return this.#stream
  }
}

/** Shows the elements of an uploaded file; stores nothing. */
export async function elementRoutes(outer: App, { resources, uploads }: ApiContext): Promise<void> {
  // Here every body is a file, whatever its content type.
  await outer.register(async (child) => {
    const app = child as App
    app.removeAllContentTypeParsers()
    app.addContentTypeParser(
      '*',
      async (_request: FastifyRequest, payload: IncomingMessage) => new RawFile(payload),
    )
    app.post(
      '/elements',
      {
        config: { allows: 'developer', keys: true, takesFiles: true },
        schema: {
          consumes: ['application/octet-stream'],
          querystring: z.strictObject({ filename: z.string().max(255).optional() }),
          body: z
            .custom<RawFile>((given) => given instanceof RawFile, { error: EMPTY })
            .meta({ type: 'string', format: 'binary', minLength: 1 }),
          response: { 200: shape },
        },
      },
      async (request, reply) => {
        const { workspaceId } = callerOf(request)
        refuseLarge(Number(request.headers['content-length'] ?? 0))
        if (request.headers['content-type']?.startsWith('multipart/')) {
          throw invalid(['body'], 'send the file itself as the body, as application/octet-stream, not a form')
        }
        const filename = cleanFilename(request.query.filename)
        const upload = uploads.begin(workspaceId)
        try {
          const file = await receive(upload, request.body.stream)
          upload.arrived()
          const runner = await runnersFor(resources, workspaceId).create(PARTITION_ONLY)
          const { filetype, elements } = await withDeadline(
            reply,
            { ms: TIMEOUT_MS, doing: 'reading the file' },
            (signal) =>
              uploads.memory.use({ key: workspaceId, bytes: file.size }, signal, async () =>
                processFile({ filename, content: await file.read() }, runner, signal),
              ),
          )
          return { filetype, total: elements.length, elements: elements.slice(0, MAX_ELEMENTS) }
        } finally {
          await upload.close()
        }
      },
    )
  })
}

/** Reads to the end, because a client that is still sending would not read an error. */
async function receive(upload: ArrivingUpload, body: Readable): Promise<SpooledFile> {
  try {
    const file = await upload.receive(body.iterator({ destroyOnReturn: false }), refuseLarge)
    if (file.size === 0) throw invalid(['body'], EMPTY)
    return file
  } catch (error) {
    for await (const _ of body.iterator({ destroyOnReturn: false }));
    throw error
  }
}

function refuseLarge(bytes: number): void {
  if (bytes > MAX_BYTES) throw new AppError('body_too_large', 'the body is larger than this server accepts')
}

const shape = z.object({ filetype: z.string(), total: z.number(), elements: z.array(elementShape) })
