import type { DocumentWarning, Element } from '../document.ts'

/** What a node made of a document. */
export type PartitionResult = {
  elements: Element[]
  /** Content that could not be read, embedded or described. */
  warnings: DocumentWarning[]
  /** A later run processes the document again. */
  incomplete?: true
}
