import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packArchive, unpack } from './archive.ts'

test('it refuses a stored part whose size contradicts the directory', () => {
  const bytes = packArchive(new Map([['\0evil\ud800', Buffer.alloc(1000, 'a')]]))
  const file = { bytes, filename: 'a.docx' }
  assert.equal([...unpack(file, () => true).values()][0]?.length, 1000)
  bytes.writeUInt32LE(10, bytes.lastIndexOf('PK\x01\x02') + 24)
  assert.throws(() => unpack(file, () => true), /^AppError: reading a\.docx: its directory is inconsistent$/)
})
