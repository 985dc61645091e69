import multipart, { type Multipart } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { App } from '../context.ts'
import { invalid } from '../errors.ts'

const MEGABYTE = 1024 * 1024
const MAX_FILES = 10
/** Forms stay in memory until processed, so one form and all forms together are limited. */
const MAX_BYTES = 100 * MEGABYTE
const MAX_BYTES_IN_USE = 4 * MAX_BYTES
const MAX_FIELDS = 100
const MAX_FIELD_BYTES = MEGABYTE

export type FormFile = { filename: string; content: Buffer }
export type Form = { files: FormFile[]; fields: Map<string, string[]> }

/** Accepts forms in this scope; all other routes refuse them. */
export async function acceptForms(scope: App, { fileBytes }: { fileBytes: number }): Promise<void> {
  scope.removeContentTypeParser('multipart/form-data')
  await scope.register(multipart, {
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

/** `input_files[]` and `input_files` are the same field. */
export async function readForm(
  request: FastifyRequest,
  reply: FastifyReply,
  fileField: string,
): Promise<Form> {
  if (!request.isMultipart())
    throw invalid(['body'], `send a multipart/form-data form with the files as ${fileField}`)
  const form: Form = { files: [], fields: new Map() }
  let bytes = 0
  let problem: AppError | undefined
  reply.raw.once('close', () => {
    bytesInUse -= bytes
  })
  try {
    // Reads to the end, because a client that is still sending would not read the error.
    for await (const part of request.parts()) {
      const content = part.type === 'file' ? await part.toBuffer() : Buffer.from(textOf(part.value))
      const added = problem ? 0 : content.length
      bytes += added
      bytesInUse += added
      problem ??= partProblem({ part, fileField, bytes })
      if (!problem) addPart(form, part, content)
    }
  } catch (error) {
    throw error instanceof AppError ? error : formProblem(error)
  }
  if (problem) throw problem
  return form
}

/** Bytes of all forms this process is handling. */
let bytesInUse = 0

function partProblem({
  part,
  fileField,
  bytes,
}: {
  part: Multipart
  fileField: string
  bytes: number
}): AppError | undefined {
  if (bytes > MAX_BYTES)
    return new AppError('body_too_large', `the form is larger than ${MAX_BYTES / MEGABYTE} MB`)
  if (bytesInUse > MAX_BYTES_IN_USE)
    return new AppError('rate_limited', 'the server is reading too many files at once; try again later')
  if (part.type === 'file')
    return nameOf(part) === fileField
      ? undefined
      : invalid(['body', part.fieldname], `send files as ${fileField}`)
  if (nameOf(part) === fileField) return invalid(['body', fileField], 'send a file, with a file name')
  if (part.valueTruncated) return invalid(['body', nameOf(part)], 'the value is too long')
  return textOf(part.value).includes('\0')
    ? invalid(['body', nameOf(part)], 'contains a NUL character, which cannot be stored')
    : undefined
}

function addPart({ files, fields }: Form, part: Multipart, content: Buffer): void {
  const name = nameOf(part)
  if (part.type === 'file') files.push({ filename: cleanFilename(part.filename), content })
  else fields.set(name, [...(fields.get(name) ?? []), content.toString()])
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

function formProblem(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new AppError('body_too_large', 'a file is larger than this endpoint accepts')
  if (code === 'FST_FILES_LIMIT') return invalid(['body'], `at most ${MAX_FILES} files at once`)
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return invalid(['body'], `at most ${MAX_FIELDS} fields`)
  return invalid(['body'], 'the form is incomplete or malformed')
}
