import { Tokenizer } from 'htmlparser2'
import { brokenFile } from './refusals.ts'

type TagHandler = {
  open(name: string, attributes: Record<string, string>): void
  text(data: string): void
  close(name: string): void
}

/** Keeps no stack of open tags, so deep nesting needs no memory. */
export function readTags(xml: string, tags: TagHandler): void {
  let name = ''
  let attribute = ''
  let attributes: Record<string, string> = {}
  const open = () => {
    tags.open(name, attributes)
    attributes = {}
  }
  const add = (value: string) => {
    attributes[attribute] = (attributes[attribute] ?? '') + value
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true },
    {
      ontext: (start, end) => tags.text(xml.slice(start, end)),
      ontextentity: (code) => tags.text(String.fromCodePoint(code)),
      onopentagname: (start, end) => {
        name = xml.slice(start, end)
      },
      onattribname: (start, end) => {
        attribute = xml.slice(start, end)
      },
      onattribdata: (start, end) => add(xml.slice(start, end)),
      onattribentity: (code) => add(String.fromCodePoint(code)),
      onattribend: () => {},
      onopentagend: open,
      onselfclosingtag: () => {
        open()
        tags.close(name)
      },
      onclosetag: (start, end) => tags.close(xml.slice(start, end)),
      oncdata: (start, end, offset) => tags.text(xml.slice(start, end - offset)),
      oncomment: () => {},
      ondeclaration: () => {},
      onprocessinginstruction: () => {},
      onend: () => {},
      isInForeignContext: () => false,
    },
  )
  tokenizer.write(xml)
  tokenizer.end()
}

/** Fails if the first tag is not closed at the end, as in a file that was cut. */
export function readXml(xml: string, filename: string, tags: TagHandler): void {
  let root = ''
  let lastClosed = ''
  readTags(xml, {
    open: (name, attributes) => {
      root ||= name
      tags.open(name, attributes)
    },
    text: tags.text,
    close: (name) => {
      lastClosed = name
      tags.close(name)
    },
  })
  if (root === '' || lastClosed !== root) throw brokenFile(filename, 'its XML ends early')
}
