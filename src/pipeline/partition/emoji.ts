import type { Attributes } from './markup.ts'

/** The text of an emoji image; null for other images. */
export function emojiText(attributes: Attributes): string | null {
  if (!/(?:^|\s)(?:emoticon|emoji)/.test(attributes.class ?? '')) return null
  const { 'data-emoji-fallback': fallback = '', 'data-emoji-id': id = '', alt = '', title = '' } = attributes
  if (fallback !== '' && !SHORT_NAME.test(fallback)) return fallback
  const shortName = [fallback, attributes['data-emoji-shortname'] ?? '', alt].find((each) =>
    SHORT_NAME.test(each),
  )
  const name = emoticonName(attributes)
  return (
    fromCodePoints(id) ||
    characterOf(id.replace(/^atlassian-/, '')) ||
    characterOf(shortName ?? '') ||
    // Every emoji that is no emoticon has this name.
    (shortName && name === 'blue-star' ? shortName : characterOf(name)) ||
    shortName ||
    alt ||
    title
  )
}

/** Such as `:check_mark:`. */
const SHORT_NAME = /^:[\w+-]+:$/

/** Such as `1f469-200d-1f4bb`; uploaded emoji have other ids. */
function fromCodePoints(id: string): string {
  if (!/^[0-9a-f]{2,5}(?:-[0-9a-f]{2,5}){0,9}$/.test(id)) return ''
  return String.fromCodePoint(...id.split('-').map((code) => Number.parseInt(code, 16))).toWellFormed()
}

function emoticonName(attributes: Attributes): string {
  return attributes['data-emoticon-name'] ?? /(?:^|\s)emoticon-(\S+)/.exec(attributes.class ?? '')?.[1] ?? ''
}

function characterOf(name: string): string {
  return CHARACTERS.get(name.replaceAll(':', '').replaceAll('_', '-')) ?? ''
}

/**
 * By the names of emoticons in Data Center and of the vendor's own emoji in Cloud. Without their color, a red and a
 * green star would mean the same.
 */
const CHARACTERS = new Map(
  Object.entries({
    '🙂': 'smile',
    '🙁': 'sad',
    '😛': 'cheeky',
    '😄': 'laugh',
    '😉': 'wink',
    '👍': 'thumbs-up',
    '👎': 'thumbs-down',
    ℹ️: 'information info',
    '✅': 'tick check-mark success',
    '❌': 'cross cross-mark error',
    '⚠️': 'warning',
    '➕': 'plus',
    '➖': 'minus',
    '❓': 'question question-mark',
    '❗': 'exclamation exclamation-mark important',
    '💡': 'light-on light-bulb light-bulb-on tip',
    '💡(off)': 'light-off light-bulb-off',
    '📝': 'note',
    '⭐': 'yellow-star',
    '⭐(red)': 'red-star',
    '⭐(green)': 'green-star',
    '⭐(blue)': 'blue-star',
    '🚩': 'flag-on',
    '🏳️': 'flag-off',
    '❤️': 'heart',
    '💔': 'broken-heart',
  }).flatMap(([character, names]) => names.split(' ').map((name) => [name, character])),
)
