import { type ChildProcess, fork } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { AppError } from '../src/errors.ts'
import { detectFiletype } from '../src/filetype/filetype.ts'
import { zipEntries } from '../src/filetype/zip-directory.ts'
import { expandEntry, packArchive } from '../src/pipeline/partition/files/archive.ts'
import { fileElements } from '../src/pipeline/partition/files/file-elements.ts'
import { tiffToPdf } from '../src/pipeline/partition/files/ocr/tiff.ts'
import type { FileToRead } from '../src/pipeline/partition/files/reading-file.ts'
import { tarOf } from '../test/world/tar.ts'

/**
 * Reads changed files of every format for some seconds and keeps those that are slow, take too much memory or fail
 * without a reason: `node bench/fuzz-files.ts --seconds 120 --only ppt --out /tmp/fuzz`. Changes depend only on the
 * name and the seed, so `--seed` repeats a run.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: join(process.env.TMPDIR ?? '/tmp', 'fuzz-files') },
    child: { type: 'boolean', default: false },
  },
})

/** No changed file is larger than this. */
const MAX_BYTES = 600_000
const SLOW_MS = 3000
const HANGS_MS = 30_000
const MAX_RSS = 900_000_000

type Sample = { name: string; bytes: Buffer }
type Finding = { name: string; seed: number; what: string; bytes: Buffer }

/** Starts the reading process again after a hang or a crash, which is a finding too. */
async function watch(): Promise<void> {
  await mkdir(options.out, { recursive: true })
  const ends = Date.now() + Number(options.seconds) * 1000
  let seed = Number(options.seed)
  let findings = 0
  const keep = async ({ name, seed: at, what, bytes }: Finding) => {
    findings++
    console.log(`${name} seed ${at}: ${what.split('\n').slice(0, 3).join(' ')}`)
    await writeFile(join(options.out, `${at}-${name}`), bytes)
  }
  const samples = await readSamples()
  while (Date.now() < ends) {
    const child = startChild(seed)
    let timer: NodeJS.Timeout | undefined
    let at = seed
    const end = setTimeout(() => child.kill('SIGKILL'), Math.max(0, ends - Date.now()))
    child.on('message', (message: { seed: number } | Finding) => {
      clearTimeout(timer)
      timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS)
      if ('what' in message) void keep({ ...message, bytes: Buffer.from(message.bytes) })
      else at = message.seed
    })
    await new Promise((resolve) => child.on('exit', resolve))
    clearTimeout(timer)
    clearTimeout(end)
    if (Date.now() < ends) await keep({ ...changedSample(samples, at), what: 'hangs or crashes' })
    seed = at + 1
  }
  console.log(`${seed - Number(options.seed)} files, ${findings} findings in ${options.out}`)
}

function startChild(seed: number): ChildProcess {
  const { only } = options
  return fork(import.meta.filename, ['--child', '--seed', String(seed), '--only', only], {
    serialization: 'advanced',
    execArgv: ['--max-old-space-size=450', '--no-warnings'],
  })
}

async function work(): Promise<void> {
  const samples = await readSamples()
  for (let seed = Number(options.seed); ; seed++) {
    process.send?.({ seed })
    const sample = changedSample(samples, seed)
    const startedAt = performance.now()
    const failure = await failureOf(sample)
    const ms = performance.now() - startedAt
    const rss = process.memoryUsage.rss()
    const what =
      failure ?? (ms > SLOW_MS ? `${Math.round(ms)} ms` : rss > MAX_RSS ? `${rss / 1e6} MB` : undefined)
    if (what) process.send?.({ ...sample, what })
    if (rss > MAX_RSS) process.exit()
  }
}

/** What is wrong with how a file fails. A TIFF is prepared for OCR, but not read. */
async function failureOf({ name, bytes }: Sample): Promise<string | undefined> {
  const detected = await detectFiletype(bytes, name, true)
  const file: FileToRead = {
    filename: name,
    filetype: detected,
    bytes,
    url: '',
    strategy: 'fast',
    languages: ['eng'],
  }
  try {
    if (detected === 'image/tiff') tiffToPdf(file, { progress() {} })
    else if (!detected.startsWith('image/') || detected === 'image/svg+xml')
      await fileElements(file, { progress() {} })
    return undefined
  } catch (error) {
    if (error instanceof AppError && /^(?:document|file)_/.test(error.code)) return undefined
    return String((error as Error).stack)
  }
}

function changedSample(samples: Sample[], seed: number): Finding {
  const random = createRandom(seed)
  const { name, bytes } = samples[random(samples.length)]!
  const isPackage = bytes.readUInt16LE(0) === 0x4b50 && random(4) > 0
  const changed = isPackage ? changedPackage(bytes, random) : changedBytes(bytes, random)
  return { name, seed, what: '', bytes: changed.subarray(0, MAX_BYTES) }
}

type Random = (below: number) => number

/** Changes one part, which a change of the whole would only damage. */
function changedPackage(bytes: Buffer, random: Random): Buffer {
  const file = { bytes, filename: 'package' }
  const parts = new Map(zipEntries(bytes, 1000).map((entry) => [entry.name, expandEntry(entry, file)]))
  const names = [...parts.keys()]
  const name = names[random(names.length)]!
  parts.set(name, changedBytes(Buffer.from(parts.get(name)!), random))
  return packArchive(parts)
}

const NUMBERS = [0, 1, 2, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

function changedBytes(bytes: Buffer, random: Random): Buffer {
  let changed: Buffer = Buffer.from(bytes)
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(changed.length + 1)
    const end = Math.min(changed.length, at + 1 + random(200))
    const number = NUMBERS[random(NUMBERS.length)]!
    const kind = random(7)
    const slice = Buffer.from(changed.subarray(at, end))
    if (kind === 0 && at < changed.length) changed[at] = random(256)
    else if (kind === 1 && at + 4 <= changed.length) changed.writeUInt32LE(number, at)
    else if (kind === 2 && at + 2 <= changed.length) changed.writeUInt16LE(number & 0xffff, at)
    else if (kind === 3) changed = Buffer.from(changed.subarray(0, random(4) === 0 ? at : changed.length))
    else if (kind === 4) changed = Buffer.concat([changed.subarray(0, at), changed.subarray(end)])
    else if (kind === 5) {
      const to = random(changed.length + 1)
      changed = Buffer.concat([changed.subarray(0, to), slice, changed.subarray(to)])
    } else {
      // Shows work that grows with the square of the size.
      const times = Math.floor(random(MAX_BYTES) / (slice.length + 1))
      const repeated = Buffer.concat(Array.from({ length: times }, () => slice))
      changed = Buffer.concat([changed.subarray(0, at), repeated, changed.subarray(at)])
    }
  }
  return changed
}

async function readSamples(): Promise<Sample[]> {
  const folder = join(import.meta.dirname, '../test/fixtures/files')
  const names = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isFile())
  const files = await Promise.all(
    names.map(async ({ name }) => ({ name, bytes: await readFile(join(folder, name)) })),
  )
  const small = Object.entries(SMALL).map(([name, text]) => ({ name, bytes: Buffer.from(text) }))
  const entries = small.map(({ name, bytes }) => ({ name: `folder/${name}`, content: bytes }))
  const tar = tarOf([...entries, { name: 'long', type: 'x', content: '20 path=some/x.txt\n' }])
  const zip = packArchive(new Map(small.map(({ name, bytes }) => [name, bytes])))
  const nested = packArchive(
    new Map([
      ['inner.zip', zip],
      ['inner.tar', tar],
    ]),
  )
  const drawing = packArchive(new Map(Object.entries(VISIO).map(([part, text]) => [part, Buffer.from(text)])))
  const archives = {
    'a.vsdx': drawing,
    'a.tar': tar,
    'a.tgz': gzipSync(tar),
    'a.gz': gzipSync('text'),
    'a.zip': zip,
    'b.zip': nested,
  }
  const all = [...files, ...small, ...Object.entries(archives).map(([name, bytes]) => ({ name, bytes }))]
  const pattern = new RegExp(options.only)
  return all.filter(({ name }) => pattern.test(name))
}

/** Numbers that look random and are the same in each run. */
function createRandom(seed: number): Random {
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const CELLS =
  '<mxCell id="a" value="Weir" vertex="1" parent="1"><mxGeometry x="1"/></mxCell><mxCell id="b" value="b" edge="1" source="a" target="a"/>'
const MODEL = `<mxGraphModel><root><mxCell id="1"/>${CELLS}</root></mxGraphModel>`
const SHAPE = {
  id: 'a',
  type: 'rectangle',
  boundElements: [{ id: 'b', type: 'text' }],
  x: 1,
  y: 1,
  width: 5,
  height: 5,
}
const LABEL = { id: 'b', type: 'text', text: 'Weir', containerId: 'a', x: 1, y: 1 }
const ARROW = { id: 'c', type: 'arrow', startBinding: { elementId: 'a' }, endBinding: { elementId: 'a' } }
const GLIFFY_TEXT = { graphic: { type: 'Text', Text: { html: '<p>Weir <b>gate</b></p>' } }, children: [] }

const VISIO = {
  '[Content_Types].xml': '<Types/>',
  'visio/document.xml': '<VisioDocument/>',
  'visio/pages/pages.xml': '<Pages><Page ID="0" Name="P"><Rel r:id="r1"/></Page></Pages>',
  'visio/pages/_rels/pages.xml.rels':
    '<Relationships><Relationship Id="r1" Target="page1.xml"/></Relationships>',
  'visio/pages/page1.xml':
    '<PageContents><Shapes><Shape ID="1" Master="4"/><Shape ID="2"><Text>Weir</Text><Shapes><Shape ID="3"/></Shapes></Shape></Shapes>' +
    '<Connects><Connect FromSheet="3" FromCell="BeginX" ToSheet="1"/></Connects></PageContents>',
  'visio/masters/masters.xml': '<Masters><Master ID="4"><Rel r:id="r1"/></Master></Masters>',
  'visio/masters/_rels/masters.xml.rels':
    '<Relationships><Relationship Id="r1" Target="master1.xml"/></Relationships>',
  'visio/masters/master1.xml':
    '<MasterContents><Shape ID="1"><Text>inherited</Text></Shape></MasterContents>',
}

const SMALL: Record<string, string> = {
  'a.drawio': `<mxfile><diagram name="P">${deflateRawSync(encodeURIComponent(MODEL)).toString('base64')}</diagram><diagram name="Q">${MODEL}</diagram></mxfile>`,
  'a.svg':
    '<svg xmlns="http://www.w3.org/2000/svg"><title>Weir</title><g><text x="1">North <tspan x="1">gate</tspan></text></g><style>a{}</style></svg>',
  'a.excalidraw': JSON.stringify({ type: 'excalidraw', elements: [SHAPE, LABEL, ARROW] }),
  'a.gliffy': JSON.stringify({
    contentType: 'application/gliffy+json',
    stage: { objects: [{ id: 1, uid: 'x', ...GLIFFY_TEXT, children: [GLIFFY_TEXT] }] },
  }),
  'a.mmd':
    '---\ntitle: Weir\n---\nflowchart TD\n%% note\nsubgraph one [North]\nA[Weir] -->|opens| B{{Gate}} & C((x))\nend\nA -- text --> C\n',
  'b.mmd':
    'sequenceDiagram\nparticipant A as Ida\nA->>B: opens\nNote over A,B: water\nloop daily\nB-->>A: closed\nend\n',
  'a.puml':
    '@startuml\ntitle Weir\nactor Ida as I\nI -> Mill : water\nnote left of Mill\n text\nend note\n[*] --> Open\nclass A {\n +x: int\n}\nA <|-- B : "is"\n:step;\n@enduml\n',
  'a.vtt':
    'WEBVTT\n\nNOTE x\n\nSTYLE\n::cue{}\n\n1\n00:00.000 --> 00:01.000 line:0\n<v Ida>The <i>water</i> is high.</v>\n\n00:01.000 --> 00:02.000\nis high. It <00:01.500>falls.\n',
  'a.srt':
    '1\n00:00:00,000 --> 00:00:01,000\n<i>The water</i> is high.\n\n2\n00:00:01,000 --> 00:00:02,000\nIDA: It falls.\n',
  'a.sbv': '0:00:00.000,0:00:01.000\nThe water is high.\n\n0:00:01.000,0:00:02.000\nIt falls.\n',
  'a.ttml':
    '<?xml version="1.0"?><tt xmlns="http://www.w3.org/ns/ttml"><body><div><p begin="00:00:01.000" ttm:agent="x">The <span>water</span><br/>falls.</p><p begin="2s">x</p></div></body></tt>',
  'a.html':
    '<h1>Mill</h1><ol start="3"><li>x<ol type="i"><li>y</ol></ol><table><tr><td><pre> a\n  b</pre><td>c</table><img alt="x" src="a.png"><svg><text>t</text></svg>',
  'a.csv': 'a,b\n1,"x ""y"""\n',
  'a.rtf':
    '{\\rtf1\\ansi{\\fonttbl\\f0 Arial;}\\v hidden\\v0 Shown {\\*\\x y}\\par\\trowd\\cellx100 a\\cell\\row}',
}

if (options.child) await work()
else await watch()
