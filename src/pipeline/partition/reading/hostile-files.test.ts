import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { crc32, deflateRawSync, deflateSync } from 'node:zlib'
import { lockedPdf, pdfOf } from '../../../../test/world/pdf.ts'
import { AppError, type ErrorCode } from '../../../errors.ts'
import { detectFiletype } from '../../../filetype/filetype.ts'
import { type ArchiveParts, packArchive } from '../files/archive.ts'
import type { FileToRead } from '../files/reading-file.ts'
import { createFileReading } from './file-reading.ts'
import { networkConfinement } from './network.ts'

const { signal } = new AbortController()
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

/** Temporary folder; must be empty in the end. */
const temporary = mkdtempSync(join(tmpdir(), 'hostile-files-'))
process.env.TMPDIR = temporary
after(() => rmSync(temporary, { recursive: true, force: true }))

/** 60 KB of stars and underscores keep the Markdown library busy for minutes. */
const HANG = Buffer.from('*a_'.repeat(20_000))

const file = (bytes: Uint8Array, filetype: string, filename = 'bad'): FileToRead => ({
  ...{ bytes, filetype, filename, url: '', strategy: 'auto', languages: ['eng'] },
})
const fails = (code: ErrorCode, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error))
  assert.deepEqual([error.code, message.test(error.message)], [code, true], error.message)
  assert.equal(error.endsJob, false)
  return true
}
const isAlive = (pid: number | undefined) => {
  try {
    return process.kill(pid ?? 0, 0)
  } catch {
    return false
  }
}

describe('a hostile file', () => {
  const files = createFileReading({ readers: 1, stalledMs: 300_000, memoryMb: 400, pictureMb: 400 })
  after(() => files.close())
  const refused = (bytes: Uint8Array, filetype: string, code: ErrorCode, message: RegExp) =>
    assert.rejects(files.read(file(bytes, filetype), signal), fails(code, message))
  const readsNextFile = async () => {
    const { elements } = await files.read(file(Buffer.from('# Well'), 'text/markdown'), signal)
    assert.deepEqual(
      elements.map(({ text }) => text),
      ['Well'],
    )
  }

  test('it is refused if its directory declares too much data', async () => {
    const bomb = archive('word/document.xml', deflateRawSync(Buffer.alloc(1000)), 250_000_000)
    await refused(bomb, DOCX, 'document_too_large', /reading bad: it expands to 250 MB/)
    await readsNextFile()
  })

  test('it is refused if its directory is wrong', async () => {
    const bomb = archive('word/document.xml', deflateRawSync(Buffer.alloc(25_000_000)), 1000)
    await refused(bomb, DOCX, 'document_too_large', /reading bad: a part is larger than declared/)
    await refused(
      Buffer.from('PK\x03\x04 and nothing more'),
      DOCX,
      'document_broken',
      /not a readable archive/,
    )
  })

  test('it is refused if it declares entities or is unreadable', async () => {
    const laughs = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><w:document>&b;</w:document>'
    const parts: ArchiveParts = new Map([['word/document.xml', Buffer.from(laughs)]])
    await refused(packArchive(parts), DOCX, 'document_broken', /declares XML entities/)
    const empty: ArchiveParts = new Map([['xl/workbook.xml', Buffer.from('<workbook')]])
    await refused(packArchive(empty), XLSX, 'document_broken', /not a readable workbook/)
    await refused(
      Buffer.from('%PDF-1.7\nnothing'),
      'application/pdf',
      'document_broken',
      /not a readable PDF/,
    )
    await readsNextFile()
  })

  test('it fails if it is nested too deeply', async () => {
    const [start, end] = ['<w:p>'.repeat(20_000), '</w:p>'.repeat(20_000)]
    const deep = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${start}${end}</w:body></w:document>`
    const parts: ArchiveParts = new Map([
      ['word/document.xml', Buffer.from(deep)],
      ['[Content_Types].xml', Buffer.from('<Types/>')],
    ])
    await refused(packArchive(parts), DOCX, 'document_broken', /reading bad/)
    await readsNextFile()
  })

  test('it is refused if a picture has billions of pixels', async () => {
    const png = Buffer.alloc(64)
    png.write('\x89PNG\r\n\x1a\n', 'latin1')
    png.writeUInt32BE(60_000, 16)
    png.writeUInt32BE(60_000, 20)
    await refused(png, 'image/png', 'document_too_large', /3600 megapixels/)
  })

  test('it is refused if its metadata exceeds the text limit', async () => {
    const people = Array.from(
      { length: 100 },
      (_, index) => `"${'Ida '.repeat(90)}" <p${index}@weir.example>`,
    )
    const letter = `To: ${people.join(', ')}\r\n\r\n${'Water.\r\n\r\n'.repeat(3000)}`
    await refused(Buffer.from(letter), 'message/rfc822', 'document_too_large', /more than 100 MB of text/)
  })

  test('it is stopped if it fills the memory, and the next file is read', async () => {
    await refused(
      fillingPdf(),
      'application/pdf',
      'document_too_large',
      /bad: it takes more than 400 MB of memory/,
    )
    await readsNextFile()
  })

  test('it draws no page of a PDF beyond the limits', async () => {
    const draw = (bytes: Uint8Array, page = 1) => files.picture(file(bytes, 'application/pdf'), page, signal)
    const fill = { content: '0 0 1e9 1e9 re f' }
    for (const box of ['0 0 1000000 1000000', '0 0 1e30 1e30', '0 0 1000000 0.01', '0 0 0 0', '0 0 nan 5']) {
      const { png } = await draw(pdfOf([{ ...fill, box }]))
      const [width, height] = [16, 20].map((at) => Buffer.from(png).readUInt32BE(at))
      assert.ok(width! * height! <= 2_100_000 && png.length < 500_000, `${box}: ${width} x ${height}`)
    }
    const many = pdfOf(Array.from({ length: 10_000 }, () => ({})))
    await assert.rejects(draw(many), fails('document_too_large', /10000 pages; at most 5000/))
    await assert.rejects(draw(Buffer.from('%PDF-1.7\n')), fails('document_broken', /not a readable PDF/))
    await assert.rejects(draw(lockedPdf()), fails('document_unsupported', /protected by a password/))
    await assert.rejects(draw(fillingPdf()), fails('document_too_large', /more than 400 MB of memory/))
    await assert.rejects(draw(pdfOf([fill]), 2), fails('not_found', /it has no page 2; the last is 1/))
    await readsNextFile()
  })

  test('it fails if it crashes its reader, and the next file is read', async () => {
    const read = files.read(file(HANG, 'text/markdown'), signal)
    const [pid] = files.pids()
    process.kill(pid!, 'SIGSEGV')
    await assert.rejects(read, fails('document_broken', /reading bad: it crashed the reader/))
    await readsNextFile()
    assert.notEqual(files.pids()[0], pid)
  })
})

describe('a reader', () => {
  test('it is stopped without progress', async () => {
    const files = createFileReading({ readers: 1, stalledMs: 1500 })
    const read = files.read(file(HANG, 'text/markdown'), signal)
    const [pid] = files.pids()
    await assert.rejects(read, fails('document_broken', /reading bad: it took longer than 2 s/))
    // One of the reader that is ready for others.
    assert.equal(readdirSync(temporary).length, networkConfinement().hasOwnFolder ? 0 : 2)
    await files.close()
    assert.equal(isAlive(pid), false)
    assert.deepEqual(readdirSync(temporary), [])
  })

  test('it is not replaced if it ends before its first file', async () => {
    const files = createFileReading({ readers: 1 })
    for (const workspace of ['one', 'two'])
      await files.forWorkspace(workspace).read(file(Buffer.from('a,b\n1,2'), 'text/csv'), signal)
    const [used, spare] = files.pids()
    process.kill(spare!, 'SIGKILL')
    while (files.pids().includes(spare!)) await sleep(10)
    await sleep(100)
    assert.deepEqual(files.pids(), [used])
    await files.close()
  })

  test('it ends with a cancelled job, and waiting files continue', async () => {
    const files = createFileReading({ readers: 1 })
    const cancelling = new AbortController()
    const hung = files.read(file(HANG, 'text/markdown'), cancelling.signal)
    const next = files.read(file(Buffer.from('a,b\n1,2'), 'text/csv'), signal)
    const waiting = new AbortController()
    const never = files.read(file(HANG, 'text/markdown'), waiting.signal)
    waiting.abort(new Error('not this one'))
    await assert.rejects(never, /not this one/)
    const [pid] = files.pids()
    cancelling.abort(new Error('enough'))
    await assert.rejects(hung, /enough/)
    assert.equal((await next).elements.length, 1)
    await files.close()
    assert.equal(isAlive(pid), false)
    await assert.rejects(
      next.then(() => files.read(file(HANG, 'text/markdown'), signal)),
      { code: 'service_closing' },
    )
  })

  test('it is reused, replaced after a number of files, and ended when idle', async () => {
    const files = createFileReading({ readers: 2, filesPerProcess: 2, idleMs: 200 })
    const pids: (number | undefined)[] = []
    for (let index = 0; index < 3; index++) {
      const read = files.read(file(Buffer.from('a,b\n1,2'), 'text/csv'), signal)
      pids.push(files.pids()[0])
      await read
    }
    assert.deepEqual([pids[0] === pids[1], pids[1] === pids[2]], [true, false])
    while (isAlive(pids[2])) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(files.pids(), [])
    await files.close()
  })

  test('it is replaced after a failed file or with high memory', async () => {
    const files = createFileReading({ readers: 1, maxReuseMb: 150 })
    const read = async (bytes: Uint8Array, filetype: string) => {
      const reading = files.read(file(bytes, filetype), signal).catch(() => {})
      const [pid] = files.pids()
      await reading
      return pid
    }
    const rows = Buffer.alloc(400_000, '1,2\n')
    const pids = [
      await read(Buffer.from('a,b\n1,2'), 'text/csv'),
      await read(Buffer.from('nothing'), 'application/x-unheard-of'),
      await read(Buffer.from('%PDF-1.7\nnothing'), 'application/pdf'),
      await read(rows, 'text/csv'),
      await read(Buffer.from('a,b\n1,2'), 'text/csv'),
    ]
    const same = pids.slice(1).map((pid, index) => pid === pids[index])
    assert.deepEqual(same, [true, true, false, false])
    await files.close()
  })

  test('it has no environment of the service and ends with it', async () => {
    const script = `
      const { createFileReading } = await import(${JSON.stringify(import.meta.resolve('./file-reading.ts'))})
      const files = createFileReading()
      const bytes = Buffer.from('*a_'.repeat(20000))
      const file = { bytes, filetype: 'text/markdown', filename: 'bad', url: '', strategy: 'auto', languages: [] }
      files.read(file, new AbortController().signal).catch(() => {})
      console.log(files.pids()[0])`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, SECRET: 'secret-value' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(service.stdout, 'data')
    const pid = Number(line)
    if (process.platform === 'linux')
      assert.doesNotMatch(await readFile(`/proc/${pid}/environ`, 'utf8'), /secret-value/)
    assert.equal(isAlive(pid), true)
    service.kill('SIGKILL')
    await once(service, 'exit')
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.deepEqual(readdirSync(temporary), [])
  })

  test('it reports unsupported types and too many elements', async () => {
    const files = createFileReading({ readers: 1 })
    await assert.rejects(
      files.read(file(Buffer.from('x'), 'application/x-unheard-of'), signal),
      fails('document_unsupported', /application\/x-unheard-of/),
    )
    const large = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(1_200_000, '1,2\n')])
    assert.equal(await detectFiletype(large, 'large.csv', true), 'text/csv')
    await assert.rejects(files.read(file(large, 'text/csv'), signal), fails('document_too_large', /elements/))
    await files.close()
  })
})

/** A zip with one part that declares `size`. */
function archive(name: string, packed: Buffer, size: number): Buffer {
  const stored = packArchive(new Map([[name, packed]]))
  const directory = stored.lastIndexOf('PK\x01\x02')
  for (const at of [4, directory + 6]) {
    stored.writeUInt16LE(8, at + 4)
    stored.writeUInt32LE(crc32(Buffer.alloc(0)), at + 10)
    stored.writeUInt32LE(size, at + 18)
  }
  return stored
}

/** A page whose text is zeros deflated twice: a few kilobytes become 250 MB. */
function fillingPdf(): Buffer {
  const content = deflateSync(deflateSync(Buffer.alloc(250_000_000, ' (a) Tj'), { level: 1 }))
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>',
  ].map((text, index) => Buffer.from(`${index + 1} 0 obj\n${text}\nendobj\n`))
  const head = `4 0 obj\n<< /Length ${content.length} /Filter [/FlateDecode /FlateDecode] >>\nstream\n`
  const trailer = '\nendstream\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n'
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...objects,
    Buffer.from(head),
    content,
    Buffer.from(trailer),
  ])
}
