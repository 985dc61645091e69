import type { Attributes } from './markup.ts'

/** The text of an emoji image; null for other images. */
export function emojiText(attributes: Attributes): string | null {
  if (!/(?:^|\s)(?:emoticon|emoji)/.test(attributes.class ?? '')) return null
  return (
    attributes['data-emoji-fallback'] ||
    fromCodePoints(attributes['data-emoji-id'] ?? '') ||
    EMOTICONS.get(emoticonName(attributes)) ||
    attributes.alt ||
    attributes.title ||
    ''
  )
}

/** Such as `1f469-200d-1f4bb`; uploaded emoji have other ids. */
function fromCodePoints(id: string): string {
  if (!/^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5}){0,9}$/.test(id)) return ''
  return String.fromCodePoint(...id.split('-').map((code) => Number.parseInt(code, 16))).toWellFormed()
}

function emoticonName(attributes: Attributes): string {
  return attributes['data-emoticon-name'] ?? /(?:^|\s)emoticon-(\S+)/.exec(attributes.class ?? '')?.[1] ?? ''
}

/** Emoticon names of Data Center. */
const EMOTICONS = new Map([
  ['smile', '🙂'],
  ['sad', '🙁'],
  ['cheeky', '😛'],
  ['laugh', '😄'],
  ['wink', '😉'],
  ['thumbs-up', '👍'],
  ['thumbs-down', '👎'],
  ['information', 'ℹ️'],
  ['tick', '✅'],
  ['cross', '❌'],
  ['warning', '⚠️'],
  ['plus', '➕'],
  ['minus', '➖'],
  ['question', '❓'],
  ['light-on', '💡'],
  ['yellow-star', '⭐'],
  ['heart', '❤️'],
  ['broken-heart', '💔'],
])
