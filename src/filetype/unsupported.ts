import { AppError } from '../errors.ts'

/** The binary format of Visio up to 2010. */
export const VSD = 'application/vnd.visio'

/** The skipped document, with what to do instead where something is read. */
export function unsupportedFile(filename: string, filetype: string): AppError {
  const fix = fixOf(filetype)
  return new AppError(
    'document_unsupported',
    `reading ${filename}: files of type ${filetype} are not supported`,
    fix ? { fix } : {},
  )
}

function fixOf(filetype: string): string | null {
  if (/^(?:audio|video)\/|^application\/(?:ogg|mp4)$/.test(filetype))
    return 'Sound is not transcribed. Attach its captions as a VTT or SRT file next to it: captions are read'
  if (OTHER_ARCHIVE.test(filetype)) return 'Pack its files as ZIP or TAR, which are read'
  return filetype === VSD ? 'Save the drawing as VSDX, which is read' : null
}

/** Decision 17 says why. */
const OTHER_ARCHIVE =
  /^application\/(?:x-(?:(?:7z|rar|lzh)-compressed|bzip2|xz|lz4|lzip|compress)|zstd|vnd\.ms-cab-compressed)$/
