/** Terminals are 80 columns wide until somebody makes them wider. */
const WIDTH = 80

/** Text in lines that begin with the indent and break between words. */
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
