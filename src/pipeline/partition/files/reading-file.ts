import type { DocumentWarning } from '../../../document.ts'
import type { Block } from '../blocks.ts'

export type Strategy = 'auto' | 'fast' | 'hi_res'

/** The input of a file reader. */
export type FileToRead = {
  filename: string
  filetype: string
  bytes: Uint8Array
  url: string
  strategy: Strategy
  /** ISO 639-3 codes of the languages for OCR. */
  languages: string[]
}

/** Readers call `progress` after each page or sheet, which restarts the stall timer. */
export type ReadingContext = { progress(): void }

type FileContent = { blocks: Block[]; warnings: DocumentWarning[] }

export type ReadFile = (file: FileToRead, context: ReadingContext) => Promise<FileContent>
