import { posix } from 'node:path'
import type { ArchiveParts } from '../archive.ts'

/** What a part of an office package refers to. */
export function relations(parts: ArchiveParts, name: string): { id: string; type: string; target: string }[] {
  const folder = posix.dirname(name)
  const xml = partText(parts, `${folder}/_rels/${posix.basename(name)}.rels`)
  return [...xml.matchAll(/<Relationship\s[^<>]{1,4000}>/g)].map(([tag]) => {
    const value = (key: string) => new RegExp(`\\s${key}="([^"]*)"`).exec(tag)?.[1] ?? ''
    const target = value('Target')
    return {
      id: value('Id'),
      type: value('Type'),
      target: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
    }
  })
}

export function partText(parts: ArchiveParts, name: string): string {
  return new TextDecoder().decode(parts.get(name))
}
