import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AppError } from '../../../../errors.ts'
import { detectFiletype } from '../../../../filetype/filetype.ts'
import { createFileReading } from '../../reading/file-reading.ts'

const files = createFileReading({ readers: 1 })
after(() => files.close())
const { signal } = new AbortController()

async function read(content: string | Uint8Array, filename: string): Promise<[string, number | undefined][]> {
  const bytes = Buffer.from(content)
  const filetype = await detectFiletype(bytes, filename, true)
  const file = { filename, filetype, bytes, url: '', strategy: 'fast' as const, languages: [] }
  const { elements } = await files.read(file, signal)
  return elements.map(({ text, metadata }) => [text, metadata.start_seconds])
}

describe('captions', () => {
  test('it joins cues into paragraphs of one speaker (WebVTT)', async () => {
    const vtt = `WEBVTT - Meeting of the keepers

STYLE
::cue { color: lime }

NOTE the first gate

intro
00:00:01.500 --> 00:00:03.000 align:start
<v Ida Reed>Good <i>morning</i>. The water

00:00:03.000 --> 00:00:05.000
<v Ida Reed>is &lt;high&gt; &amp; rising.</v>

01:00.000 --> 01:02.000
<v.loud Ben>Open <00:01:01.000><c>both gates</c>.

02:00.000 --> 02:02.000
<v Ben>Then wait.
`
    assert.deepEqual(await read(vtt, 'meeting.txt'), [
      ['Ida Reed: Good morning. The water is <high> & rising.', 1],
      ['Ben: Open both gates.', 60],
      ['Ben: Then wait.', 120],
    ])
  })

  test('it reads SubRip, SBV and TTML', async () => {
    const expected = [['The water is high. It is rising.', 62]]
    const srt =
      '\ufeff1\r\n00:01:02,000 --> 00:01:04,000\r\n{\\an8}<i>The water</i>\r\nis high.\r\n\r\n2\r\n00:01:04,500 --> 00:01:06,000\r\nIt is rising.\r\n'
    assert.deepEqual(await read(srt, 'a.srt'), expected)
    assert.deepEqual(await read(srt, 'no extension'), expected)
    const sbv = '0:01:02.000,0:01:04.000\nThe water\nis high.\n\n0:01:04.500,0:01:06.000\nIt is rising.\n'
    assert.deepEqual(await read(sbv, 'a.sbv'), expected)
    const ttml =
      '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><head><title>No</title></head><body><div>' +
      '<p begin="00:01:02.000" end="00:01:04.000">The <span>water</span><br/>is high.</p><p begin="64.5s">It is rising.</p>' +
      '</div></body></tt>'
    assert.deepEqual(await read(ttml, 'a.xml'), expected)
  })

  test('it keeps each line of rolling captions once', async () => {
    const vtt = `WEBVTT

00:00.000 --> 00:02.000
the weir holds

00:02.000 --> 00:02.010
the weir holds

00:02.010 --> 00:04.000
the weir holds
the water of the river

00:04.000 --> 00:06.000
the water of the river
and the mill takes

00:06.000 --> 00:08.000
and the mill takes what it needs
`
    assert.deepEqual(await read(vtt, 'a.vtt'), [
      ['the weir holds the water of the river and the mill takes what it needs', 0],
    ])
  })

  test('it cuts long speech after a sentence', async () => {
    const cue = (at: number) =>
      `00:${String(at).padStart(2, '0')}.000 --> 00:${String(at + 1).padStart(2, '0')}.000\nGate ${at} stays closed until the bell has rung at noon, as it always did before.\n`
    const elements = await read(
      `WEBVTT\n\n${Array.from({ length: 30 }, (_, at) => cue(at)).join('\n')}`,
      'a.vtt',
    )
    assert.equal(elements.length, 4)
    assert.match(elements[0]?.[0] ?? '', /before\.$/)
    assert.equal(
      elements
        .map(([text]) => text)
        .join(' ')
        .match(/Gate/g)?.length,
      30,
    )
  })

  test('it skips recordings and says that captions are read', async () => {
    const mp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom\0\0\0\0', 'latin1')
    await assert.rejects(read(mp4, 'talk.mp4'), (error) => {
      assert.ok(error instanceof AppError && error.code === 'document_unsupported')
      assert.match(
        `${error.message}. ${error.fix}`,
        /video\/mp4 are not supported\. .*captions as a VTT or SRT file/,
      )
      return true
    })
  })
})
