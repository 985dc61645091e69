const WIDTH = 720
const LINE = 18
const LEFT = 14
const COLOURS: [RegExp, string][] = [
  [/^\s*✓/, '#7fd1b9'],
  [/█/, '#2a9d8f'],
  [/^\s*"/, '#e9c46a'],
  [/^ {4}.*, .* {3,}.*, /, '#9fb8ad'],
]
const PLAIN = '#d6dedc'

/** The terminal output of the demo as an SVG. */
export function demoSvg(output: string, label: string): string {
  const lines = withoutOldProgress(output.replace(/^\n+/, '').trimEnd().split('\n'))
  const height = lines.length * LINE + 2 * LEFT
  const texts = lines.map((line, index) => {
    const colour = COLOURS.find(([pattern]) => pattern.test(line))?.[1] ?? PLAIN
    const y = LEFT + LINE * (index + 1)
    return `<text x="${LEFT}" y="${y}" fill="${colour}" xml:space="preserve">${escaped(line)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(label)}">
<rect width="${WIDTH}" height="${height}" rx="10" fill="#14211f"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13.5">
${texts.join('\n')}
</g>
</svg>
`
}

/** Keeps only the last of consecutive progress lines. */
function withoutOldProgress(lines: string[]): string[] {
  const isProgress = (line: string | undefined) => /[█░]|listing the /.test(line ?? '')
  return lines.filter((line, index) => !(isProgress(line) && isProgress(lines[index + 1])))
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
