/** One caption; `start` in seconds. */
export type Cue = { start: number; end: number; speaker: string; lines: string[] }

/** The timing line of WebVTT and SubRip: `00:01:02.500 --> 00:01:04.000 align:start`. */
const TIMING =
  /^[ \t]*((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})[ \t]+-->[ \t]+((?:\d+:)?\d{1,2}:\d{1,2}[.,]\d{1,3})/
/** The timing line of SBV: `0:01:02.500,0:01:04.000`. */
const SBV_TIMING = /^[ \t]*(\d+:\d\d:\d\d\.\d{1,3}),(\d+:\d\d:\d\d\.\d{1,3})[ \t]*$/

/** The cues of WebVTT, SubRip and SBV: a timing line, then text up to a blank line. */
export function cuesOfLines(text: string): Cue[] {
  const cues: Cue[] = []
  let cue: Cue | null = null
  for (const line of text.split(/\r\n?|\n/)) {
    const timing = TIMING.exec(line) ?? SBV_TIMING.exec(line)
    if (timing) {
      cue = { start: secondsOf(timing[1]), end: secondsOf(timing[2]), speaker: '', lines: [] }
      cues.push(cue)
    } else if (line.trim() === '') cue = null
    else if (cue) addLine(cue, line)
  }
  return cues
}

/** `1:02:03.5`, `02:03,5` or `63.5s`. */
export function secondsOf(time = ''): number {
  const metric = /^\s*(\d+(?:\.\d+)?)(h|ms|m|s)\s*$/.exec(time)
  if (metric) return Number(metric[1]) * (METRICS.get(metric[2] ?? '') ?? 1)
  const parts = time.replace(',', '.').split(':').map(Number)
  const seconds = parts.reduce((sum, part) => sum * 60 + part, 0)
  return Number.isFinite(seconds) ? seconds : 0
}

const METRICS = new Map([
  ['h', 3600],
  ['m', 60],
  ['s', 1],
  ['ms', 0.001],
])

/** Tags are dropped, except the name in `<v Ida>`. */
function addLine(cue: Cue, line: string): void {
  const speaker =
    /<v(?:\.[^\s>]{0,200})?\s([^>]{1,200})>/.exec(line)?.[1] ??
    /^\s*>>\s*([\p{Lu}][\p{Lu} .'-]{1,40}):/u.exec(line)?.[1]
  if (speaker) cue.speaker = speaker.trim()
  const plain = line
    .replaceAll(/<\/?[a-z0-9:.][^<>]{0,200}>/gi, '')
    .replaceAll(/\{\\[a-z0-9][^{}]{0,200}\}/gi, '')
  cue.lines.push(plain)
}
