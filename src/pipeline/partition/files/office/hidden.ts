import type { ArchiveParts } from '../archive.ts'

/** Changes a part before a library reads it, so that hidden content is never indexed. */
export function rewrite(parts: ArchiveParts, name: string, change: (xml: string) => string): void {
  const bytes = parts.get(name)
  if (bytes) parts.set(name, new TextEncoder().encode(change(new TextDecoder().decode(bytes))))
}

/** A workbook's sheet list without hidden sheets. */
export function withoutHiddenSheets(xml: string): string {
  return xml.replaceAll(/<(?:\w+:)?sheet\s[^<>]*>/g, (tag) =>
    /\sstate\s*=\s*["'](?:hidden|veryHidden)["']/.test(tag) ? '' : tag,
  )
}

export function isHiddenSlide(xml: string): boolean {
  const [tag = ''] = /<p:sld\s[^<>]*>/.exec(xml) ?? []
  return /\sshow\s*=\s*["'](?:0|false)["']/.test(tag)
}

/** Removes hidden runs; a run can contain another in a text box. */
export function withoutHiddenText(xml: string): string {
  if (!xml.includes('<w:vanish')) return xml
  const runs: boolean[] = []
  let propertiesDepth = 0
  return xml.replaceAll(RUN_TAGS, (tag) => {
    if (tag.startsWith('<w:t')) return runs.at(-1) ? '' : tag
    if (tag.endsWith('/>') && !tag.startsWith('<w:vanish')) return tag
    if (tag === '</w:r>') runs.pop()
    else if (tag === '</w:rPr>') propertiesDepth--
    else if (tag.startsWith('<w:rPr')) propertiesDepth++
    else if (tag.startsWith('<w:r')) runs.push(false)
    // Deeper marks are the run's former properties.
    else if (propertiesDepth === 1 && runs.length > 0 && !/w:val\s*=\s*["'](?:0|false|off)["']/.test(tag))
      runs[runs.length - 1] = true
    return tag
  })
}
const RUN_TAGS =
  /<\/?w:r(?:Pr)?(?:\s[^<>]*)?>|<w:r(?:Pr)?\/>|<w:vanish(?:\s[^<>]*)?\/?>|<w:t(?:\s[^<>]*)?>[^<]*<\/w:t>/g

/** Removes hidden sheets. Hidden slides become empty but remain, because they count as pages. */
export function withoutHiddenPages(xml: string): string {
  const styles = hiddenStyles(xml)
  if (styles.size === 0) return xml
  const kept: string[] = []
  let from = 0
  let open = { name: '', depth: 0 }
  for (const { 0: tag, 1: slash, 2: name = '', index } of xml.matchAll(PAGE_TAGS)) {
    if (open.depth === 0) {
      const style = attributeOf(tag, name === 'draw:page' ? 'draw:style-name' : 'table:style-name')
      if (slash || tag.endsWith('/>') || !styles.has(style)) continue
      kept.push(xml.slice(from, name === 'draw:page' ? index + tag.length : index))
      open = { name, depth: 1 }
    } else if (name === open.name && !tag.endsWith('/>')) {
      open.depth += slash ? -1 : 1
      if (open.depth === 0) from = name === 'draw:page' ? index : index + tag.length
    }
  }
  return open.depth === 0 ? kept.join('') + xml.slice(from) : kept.join('')
}
const PAGE_TAGS = /<(\/?)(table:table|draw:page)(?:\s[^<>]*)?>/g

/** Removes text whose own style hides it; spans can contain others. */
export function withoutHiddenSpans(xml: string): string {
  const styles = new Set<string>()
  let style = ''
  for (const [tag] of xml.matchAll(/<style:(?:style|text-properties)\s[^<>]*>/g)) {
    if (tag.startsWith('<style:style')) style = attributeOf(tag, 'style:name')
    else if (attributeOf(tag, 'text:display') === 'none') styles.add(style)
  }
  if (styles.size === 0) return xml
  const kept: string[] = []
  let [from, depth] = [0, 0]
  for (const { 0: tag, 1: slash, index } of xml.matchAll(/<(\/?)text:span(?:\s[^<>]*)?>/g)) {
    if (tag.endsWith('/>')) continue
    if (depth === 0) {
      if (slash || !styles.has(attributeOf(tag, 'text:style-name'))) continue
      kept.push(xml.slice(from, index))
      depth = 1
    } else depth += slash ? -1 : 1
    from = index + tag.length
  }
  return depth === 0 ? kept.join('') + xml.slice(from) : kept.join('')
}

function hiddenStyles(xml: string): Set<string> {
  const hidden = new Set<string>()
  let style = ''
  for (const [tag] of xml.matchAll(/<style:(?:style|table-properties|drawing-page-properties)\s[^<>]*>/g)) {
    if (tag.startsWith('<style:style')) style = attributeOf(tag, 'style:name')
    else if (attributeOf(tag, 'table:display') === 'false') hidden.add(style)
    else if (attributeOf(tag, 'presentation:visibility') === 'hidden') hidden.add(style)
  }
  return hidden
}

function attributeOf(tag: string, name: string): string {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(tag)?.[1] ?? ''
}
