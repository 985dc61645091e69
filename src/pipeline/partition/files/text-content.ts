import { refuseLargeText } from '../../limits.ts'
import { decodeText } from '../decode.ts'
import { refuseBinary } from '../readable.ts'
import type { FileToRead } from './reading-file.ts'

/** The text of a file that is not too large to be read at once. */
export function decodeFile({ bytes, filename }: FileToRead, filetype: string): string {
  refuseLargeText(bytes.length, filename)
  return decodeText(bytes, filetype)
}

/** The same for formats that show only by a few words that they are text. */
export function decodePlainText(file: FileToRead, filetype = file.filetype): string {
  const text = decodeFile(file, filetype)
  refuseBinary(text, file.filename)
  return text
}
