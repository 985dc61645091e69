import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import type { App } from './context.ts'
import { invalid } from './errors.ts'

const MEGABYTE = 1024 * 1024
const MOST_FILES = 10
/** Of all files of a form together: they are in memory until they are stored or read. */
const MOST_BYTES = 100 * MEGABYTE
const MOST_FIELDS = 100
const MOST_FIELD_BYTES = MEGABYTE

export type FormFile = { filename: string; content: Buffer }
export type Form = { files: FormFile[]; fields: Map<string, string[]> }

/** In a scope of its own: everywhere else a form is drained and refused. */
export async function acceptForms(scope: App, { fileBytes }: { fileBytes: number }): Promise<void> {
  scope.removeContentTypeParser('multipart/form-data')
  await scope.register(multipart, {
    limits: {
      files: MOST_FILES,
      fileSize: fileBytes,
      fields: MOST_FIELDS,
      fieldSize: MOST_FIELD_BYTES,
      fieldNameSize: 200,
      headerPairs: 20,
    },
  })
}

/** `named`: under which names files are taken. `input_files[]` and `input_files` are one name. */
export async function readForm(request: FastifyRequest, named: string): Promise<Form> {
  if (!request.isMultipart())
    throw invalid(['body'], `send a multipart/form-data form with the files as ${named}`)
  const form: Form = { files: [], fields: new Map() }
  let bytes = 0
  try {
    for await (const part of request.parts()) {
      const name = part.fieldname.replace(/\[\d*\]$/, '')
      if (part.type === 'file') {
        // Read in any case: a part that is left lying stops the ones after it.
        const content = await part.toBuffer()
        bytes += content.length
        if (bytes > MOST_BYTES)
          throw new AppError(
            'body_too_large',
            `the files are larger than ${MOST_BYTES / MEGABYTE} MB together`,
          )
        if (name !== named) throw invalid(['body', part.fieldname], `files are sent as ${named}`)
        form.files.push({ filename: plainName(part.filename), content })
      } else {
        const value = String(part.value ?? '')
        if (part.valueTruncated) throw invalid(['body', name], 'the value is too long')
        if (value.includes('\0')) throw invalid(['body', name], 'holds a character that cannot be stored')
        form.fields.set(name, [...(form.fields.get(name) ?? []), value])
      }
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(error)
  }
  return form
}

/** A name and never a path. */
export function plainName(name: string | undefined): string {
  const last = (name ?? '')
    .split(/[/\\]/)
    .at(-1)
    ?.replaceAll(/\p{Cc}/gu, '')
    .toWellFormed()
    .trim()
  return last ? last.slice(0, 255) : 'file'
}

function unreadable(error: unknown): AppError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new AppError('body_too_large', 'a file is larger than may be sent here')
  if (code === 'FST_FILES_LIMIT') return invalid(['body'], `at most ${MOST_FILES} files at once`)
  if (code === 'FST_FIELDS_LIMIT' || code === 'FST_PARTS_LIMIT')
    return invalid(['body'], `at most ${MOST_FIELDS} fields`)
  return invalid(['body'], 'the form cannot be read to its end')
}
