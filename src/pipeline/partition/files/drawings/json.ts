import type { FileToRead } from '../reading-file.ts'
import { brokenFile } from '../refusals.ts'
import { decodeFile } from '../text-content.ts'

/** An object of an untrusted file; its fields may have any type. */
export type JsonObject = { readonly [name: string]: unknown }

export function readJson(file: FileToRead): JsonObject {
  const text = decodeFile(file, file.filetype)
  try {
    return objectOf(JSON.parse(text.replace(/^\ufeff/, '')))
  } catch (cause) {
    throw brokenFile(file.filename, 'its JSON cannot be parsed', cause)
  }
}

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}

export function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
