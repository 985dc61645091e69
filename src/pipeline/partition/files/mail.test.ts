import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readMail } from './mail.ts'

const read = (lines: string[]) =>
  readMail(
    {
      ...{ filename: 'a.eml', filetype: 'message/rfc822', url: '', strategy: 'auto', languages: [] },
      bytes: Buffer.from(lines.join('\r\n')),
    },
    { progress: () => {} },
  )

describe('an email', () => {
  test('it limits subject and people in the metadata', async () => {
    const people = Array.from({ length: 500 }, (_, index) => `p${index}@weir.example.com`)
    const { blocks } = await read([
      `Subject: ${'water '.repeat(300_000)}`,
      `From: "${'Ida '.repeat(5000)}" <ida@weir.example.com>`,
      `To: ${people.join(', ')}`,
      '',
      'One.',
      '',
      'Two.',
    ])
    assert.equal(blocks.at(-1)?.text, 'Two.')
    for (const { metadata } of blocks) {
      assert.equal(metadata?.subject?.length, 1000)
      assert.equal(metadata?.sent_from?.[0]?.length, 400)
      assert.equal(metadata?.sent_to?.length, 100)
    }
    assert.ok(JSON.stringify(blocks).length < 50_000)
  })

  test('it names attachments in one line without control characters', async () => {
    const { warnings, blocks } = await read([
      'Subject: =?utf-8?Q?High=00_=0Awater=ED=A0=80?=',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/plain',
      '',
      'Hello.',
      '--b',
      'Content-Type: application/pdf',
      "Content-Disposition: attachment; filename*=utf-8''plan%00%0A%1B%5B2J.pdf",
      '',
      'x',
      '--b',
      'Content-Type: application/pdf',
      `Content-Disposition: attachment; filename="${'n'.repeat(5000)}"`,
      '',
      'x',
      '--b--',
    ])
    const message = `${warnings[0]?.message}${blocks[0]?.metadata?.subject}`
    assert.match(message, /plan \[2J\.pdf/)
    assert.doesNotMatch(message, /\p{Cc}/u)
    assert.equal(message.isWellFormed(), true)
    assert.ok(message.length < 500, String(message.length))
  })
})
