import type { Readable } from 'node:stream'
import multipart, { type Multipart } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { AppError, invalid } from '../../../errors.ts'
import { type App, callerOf } from '../context.ts'
import type { ArrivingUpload, SpooledFile, Uploads } from './uploads.ts'

const MEGABYTE = 1024 * 1024
const MAX_FILES = 10
const MAX_BYTES = 100 * MEGABYTE
const MAX_FIELDS = 100
/** Fields stay in memory, so one field and all fields together are limited. */
const MAX_FIELD_BYTES = MEGABYTE
const MAX_FIELDS_BYTES = 4 * MEGABYTE

export type FormFile = SpooledFile & { filename: string }
type Form = { files: FormFile[]; fields: Map<string, string[]> }

/** Accepts forms in this context; all other routes refuse them. */
export async function acceptForms(app: App, { fileBytes }: { fileBytes: number }): Promise<void> {
  app.removeContentTypeParser('multipart/form-data')
  await app.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      files: MAX_FILES,
      fileSize: fileBytes,
      fields: MAX_FIELDS,
      fieldSize: MAX_FIELD_BYTES,
      fieldNameSize: 200,
      headerPairs: 20,
    },
  })
}

/** Gives `work` the form, whose files are deleted afterwards. `input_files[]` and `input_files` are the same field. */
export async function withForm<T>(
  request: FastifyRequest,
  { uploads, fileField }: { uploads: Uploads; fileField: string },
  work: (form: Form) => Promise<T>,
): Promise<T> {
  if (!request.isMultipart())
    throw invalid(['body'], `send a multipart/form-data form with the files as ${fileField}`)
  const upload = uploads.begin(callerOf(request).workspaceId)
  try {
    const form = await readForm(request, upload, fileField)
    upload.arrived()
    return await work(form)
  } catch (error) {
    if (error instanceof AppError && error.code === 'quota_reached') uploads.countRefusal('quota')
    throw error
  } finally {
    await upload.close()
  }
}

async function readForm(request: FastifyRequest, upload: ArrivingUpload, fileField: string): Promise<Form> {
  const form: Form = { files: [], fields: new Map() }
  let fieldBytes = 0
  let problem: unknown
  try {
    // Reads to the end, because a client that is still sending would not read the error.
    for await (const part of request.parts()) {
      problem ??= partProblem(part, fileField)
      if (part.type === 'field') {
        const text = textOf(part.value)
        fieldBytes += text.length
        if (fieldBytes > MAX_FIELDS_BYTES) throw fieldsTooLong(request)
        if (!problem) addField(form, nameOf(part), text)
      } else if (problem) {
        await discard(part.file)
      } else {
        try {
          const file = await upload.receive(withoutEnding(part.file), refuseLargeForm)
          form.files.push({ ...file, filename: cleanFilename(part.filename) })
        } catch (error) {
          if (isOfParser(error)) throw error
          problem = error
          await discard(part.file)
        }
        if (part.file.truncated)
          problem ??= new AppError('body_too_large', 'a file is larger than this endpoint accepts')
      }
    }
  } catch (error) {
    throw isOfParser(error) ? formProblem(error) : error
  }
  if (problem) throw problem
  return form
}

/** The parser keeps all fields, so it gets no more; the rest of the body is discarded. */
function fieldsTooLong({ raw }: FastifyRequest): AppError {
  raw.unpipe()
  raw.resume()
  return new AppError('body_too_large', `the fields are larger than ${MAX_FIELDS_BYTES / MEGABYTE} MB`)
}

function refuseLargeForm(bytes: number): void {
  if (bytes > MAX_BYTES)
    throw new AppError('body_too_large', `the form is larger than ${MAX_BYTES / MEGABYTE} MB`)
}

/** A failed write must not destroy the stream: the rest of the form could not be read. */
function withoutEnding(stream: Readable): AsyncIterable<Uint8Array> {
  return stream.iterator({ destroyOnReturn: false })
}

async function discard(stream: Readable): Promise<void> {
  for await (const _ of stream);
}

function partProblem(part: Multipart, fileField: string): AppError | undefined {
  const name = nameOf(part)
  if (part.type === 'file')
    return name === fileField ? undefined : invalid(['body', part.fieldname], `send files as ${fileField}`)
  if (name === fileField) return invalid(['body', fileField], 'send a file, with a file name')
  if (part.valueTruncated) return invalid(['body', name], 'the value is too long')
  return textOf(part.value).includes('\0')
    ? invalid(['body', name], 'contains a NUL character, which cannot be stored')
    : undefined
}

function addField({ fields }: Form, name: string, text: string): void {
  fields.set(name, [...(fields.get(name) ?? []), text])
}

function nameOf({ fieldname }: Multipart): string {
  return fieldname.replace(/\[\d*\]$/, '')
}

/** The parser has already parsed JSON parts. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function cleanFilename(name: string | undefined): string {
  const last = (name ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 255)
    .toWellFormed()
  return last ? last : 'file'
}

/** Codes of a stream whose client disconnected. */
const DISCONNECTED = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'])

/** Errors of the disk and bugs are not: they are logged, and the client gets 500. */
function isOfParser(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  // busboy throws plain errors.
  return code.startsWith('FST_') || DISCONNECTED.has(code) || (code === '' && error.constructor === Error)
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : ''
}

function formProblem(error: Error): AppError {
  const code = codeOf(error)
  if (code === 'FST_FILES_LIMIT') return invalid(['body'], `at most ${MAX_FILES} files at once`)
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return invalid(['body'], `at most ${MAX_FIELDS} fields`)
  return invalid(['body'], 'the form is incomplete or malformed')
}
