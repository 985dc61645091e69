import { Tokenizer } from 'htmlparser2'
import { IGNORE_ALL } from './entities.ts'

/** Elements that hold plain text. */
const LEAVES = new Set(
  (
    'ac:parameter ac:default-parameter ac:plain-text-body ac:plain-text-link-body ac:task-id ac:task-uuid ' +
    'ac:task-status ac:adf-attribute ac:adf-parameter ac:placeholder'
  ).split(' '),
)

export function isLeaf(name: string): boolean {
  return LEAVES.has(name)
}

/** An element of the wiki, not of HTML. */
export function isWikiElement(name: string): boolean {
  return name.startsWith('ac:') || name.startsWith('ri:')
}

/** The start offsets of leaves that have an end tag, in linear time. */
export function closedLeaves(storage: string): Set<number> {
  const closed = new Set<number>()
  const open: { name: string; start: number }[] = []
  const count = new Map<string, number>()
  const addToCount = (name: string, by: number) => count.set(name, (count.get(name) ?? 0) + by)
  let name = ''
  let start = 0

  const close = (end: string) => {
    if ((count.get(end) ?? 0) === 0) return
    for (let last = open.pop(); last; last = open.pop()) {
      addToCount(last.name, -1)
      if (last.name !== end) continue
      closed.add(last.start)
      return
    }
  }
  const tokenizer = new Tokenizer(
    { xmlMode: true, decodeEntities: false },
    {
      ...IGNORE_ALL,
      onopentagname: (from, to) => {
        start = from - 1
        name = storage.slice(from, to).toLowerCase()
      },
      onopentagend: () => {
        if (!isWikiElement(name)) return
        open.push({ name, start })
        addToCount(name, 1)
      },
      onclosetag: (from, to) => close(storage.slice(from, to).toLowerCase()),
    },
  )
  tokenizer.write(storage)
  tokenizer.end()
  return closed
}
