import type { DocumentWarning, Element } from '../document.ts'

/** The output of a node for one document. */
export type PartitionResult = {
  elements: Element[]
  /** Content that could not be read, embedded or described. */
  warnings: DocumentWarning[]
  /** A later run processes the document again. */
  incomplete?: true
}
