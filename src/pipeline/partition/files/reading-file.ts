import type { DocumentWarning } from '../../../document.ts'
import type { Block } from '../blocks.ts'

export type Strategy = 'auto' | 'fast' | 'hi_res'

/** A file as its reader gets it: everything it may know, and no way to anything else. */
export type FileToRead = {
  filename: string
  filetype: string
  bytes: Uint8Array
  url: string
  strategy: Strategy
  /** ISO 639-3 names of the languages that OCR looks for. */
  languages: string[]
}

/** `progress` is called after each page or sheet: what goes on is not stopped for being slow. */
export type ReadingContext = { progress(): void }

export type FileRead = { blocks: Block[]; warnings: DocumentWarning[] }

export type ReadFile = (file: FileToRead, context: ReadingContext) => Promise<FileRead>
