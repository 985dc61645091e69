/** The default width of a terminal. */
const WIDTH = 80

/** Wraps text at words into lines that start with the indent. */
export function paragraph(text: string, indent = '  '): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line].map((each) => indent + each).join('\n')
}

export function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}
