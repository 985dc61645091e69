import type { CommandOption } from '../commands.ts'

const WIDTH = 80

export function optionLines({ name, value, description, choices }: CommandOption): string {
  const text = choices ? `${description} One of: ${choices.join(', ')}.` : description
  return `  --${name}${value ? ` <${value}>` : ''}\n${paragraph(text, '      ')}`
}

/** Indented lines that break between words. */
export function paragraph(content: string, indent: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of content.split(/\s+/)) {
    if (line && indent.length + line.length + 1 + word.length > WIDTH) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  return [...lines, line].map((each) => indent + each).join('\n')
}
