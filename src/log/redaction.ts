/** The secrets of this process, searched in log text: plain, URL-encoded and in base64. */
export interface RedactionRegistry {
  add(value: string): void
  /** The text with every secret replaced; the same string if there is none. */
  redact(text: string): string
  /** Whether `redact` would change the text, JSON-escaped secrets included. */
  contains(text: string): boolean
}

export const REDACTED = '[redacted]'

/** Shorter values are not secrets, and replacing them would damage words. */
const MIN_LENGTH = 6
/** Shorter base64 forms match ordinary text by chance. */
const MIN_BASE64_LENGTH = 8

export function createRedactionRegistry(): RedactionRegistry {
  const values = new Set<string>()
  const plain = new Set<string>()
  const encoded = new Set<string>()
  const escaped = new Set<string>()

  return {
    add(value) {
      if (value.length < MIN_LENGTH || values.has(value)) return
      values.add(value)
      for (const form of [value, encodeURIComponent(value.toWellFormed())]) {
        plain.add(form)
        escaped.add(JSON.stringify(form).slice(1, -1))
      }
      for (const form of base64Forms(value)) encoded.add(form)
    },
    redact(text) {
      let redacted = text
      // The longest first: a secret may contain another.
      for (const form of [...plain].sort((a, b) => b.length - a.length))
        redacted = redacted.replaceAll(form, REDACTED)
      for (const form of encoded) redacted = replaceBase64(redacted, form)
      return redacted
    },
    contains: (text) => [plain, escaped, encoded].some((forms) => some(forms, (form) => text.includes(form))),
  }
}

/** The base64 of a value in its three alignments, without shared characters. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8')
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url')
    const start = offset === 0 ? 0 : offset + 1
    const end = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1
    const form = text.slice(start, end)
    if (form.length < MIN_BASE64_LENGTH) return []
    return [form, form.replaceAll('-', '+').replaceAll('_', '/')]
  })
}

/** Replaces the whole base64 text, because its first and last characters also encode bits of the secret. */
function replaceBase64(text: string, form: string): string {
  let result = text
  for (let at = result.indexOf(form); at !== -1; at = result.indexOf(form, at)) {
    let start = at
    let end = at + form.length
    while (start > 0 && isBase64(result.charCodeAt(start - 1))) start--
    while (end < result.length && isBase64(result.charCodeAt(end))) end++
    result = result.slice(0, start) + REDACTED + result.slice(end)
    at = start + REDACTED.length
  }
  return result
}

function isBase64(code: number): boolean {
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isLetter || (code >= 47 && code <= 57) || code === 43 || code === 61 || code === 45 || code === 95
}

function some<T>(items: Iterable<T>, predicate: (item: T) => boolean): boolean {
  for (const item of items) if (predicate(item)) return true
  return false
}
