/** The secrets of this process, searched in log text: plain, URL-encoded and in base64. */
export interface RedactionRegistry {
  /** For secrets of the environment, which stay. */
  add(value: string): void
  /** For secrets in use; the returned function releases this use. */
  hide(value: string): Release
  /** The text with every secret replaced; the same string if there is none. */
  redact(text: string): string
  /** Whether `redact` would change the text, JSON-escaped secrets included. */
  contains(text: string): boolean
}
/** Ends one use of a secret; a second call does nothing. */
export type Release = () => void

export const REDACTED = '[redacted]'

/** Shorter values are not secrets, and replacing them would damage words. */
const MIN_LENGTH = 6
/** Shorter base64 forms match ordinary text by chance. */
const MIN_BASE64_LENGTH = 8

/** Beyond these, released secrets leave. */
const MAX_HELD = { secrets: 1000, characters: 250_000 }
/** Beyond these, the oldest in use leave: one tenant opens far fewer. All forms of 2,000,000 characters need about 32 MB. */
const MAX_IN_USE = { secrets: 10_000, characters: 2_000_000 }
/** The error of a connector is logged after the connector is closed. */
const LINGER_MS = 10_000

type Forms = { plain: string[]; escaped: string[]; encoded: string[] }
type Temporary = Forms & { uses: number; releasedAt: number | null }

export function createRedactionRegistry({ now = Date.now }: { now?: () => number } = {}): RedactionRegistry {
  const permanent = new Map<string, Forms>()
  const temporary = new Map<string, Temporary>()
  let characters = 0

  function remove(value: string): void {
    if (temporary.delete(value)) characters -= value.length
  }

  function removeReleased(): void {
    for (const [value, { uses, releasedAt }] of temporary)
      if (uses === 0 && releasedAt !== null && now() - releasedAt >= LINGER_MS) remove(value)
  }

  function makeRoom(length: number): void {
    const fits = ({ secrets, characters: max }: typeof MAX_HELD) =>
      temporary.size < secrets && characters + length <= max
    for (const [value, { uses }] of temporary) {
      if (fits(MAX_HELD)) return
      if (uses === 0) remove(value)
    }
    for (const value of temporary.keys()) {
      if (fits(MAX_IN_USE)) return
      remove(value)
    }
  }

  function all(): Forms[] {
    removeReleased()
    return [...permanent.values(), ...temporary.values()]
  }

  return {
    add(value) {
      if (value.length < MIN_LENGTH || permanent.has(value)) return
      permanent.set(value, formsOf(value))
    },
    hide(value) {
      if (value.length < MIN_LENGTH || value.length > MAX_HELD.characters || permanent.has(value))
        return () => {}
      removeReleased()
      let entry = temporary.get(value)
      if (!entry) {
        makeRoom(value.length)
        entry = { ...formsOf(value), uses: 0, releasedAt: null }
        temporary.set(value, entry)
        characters += value.length
      }
      const used = entry
      used.uses++
      return once(() => {
        used.uses--
        used.releasedAt = now()
      })
    },
    redact(text) {
      const forms = all()
      let redacted = text
      // The longest first: a secret may contain another.
      for (const form of forms.flatMap(({ plain }) => plain).sort((a, b) => b.length - a.length))
        redacted = redacted.replaceAll(form, REDACTED)
      for (const { encoded } of forms) for (const form of encoded) redacted = replaceBase64(redacted, form)
      return redacted
    },
    contains(text) {
      const isIn = (form: string) => text.includes(form)
      return all().some(
        ({ plain, escaped, encoded }) => plain.some(isIn) || escaped.some(isIn) || encoded.some(isIn),
      )
    },
  }
}

/** Hides several secrets; releases them together. */
export function hideAll(hide: (secret: string) => Release, secrets: Iterable<string>): Release {
  const releases = [...secrets].map((secret) => hide(secret))
  return () => {
    for (const release of releases) release()
  }
}

function once(action: () => void): Release {
  let isDone = false
  return () => {
    if (!isDone) action()
    isDone = true
  }
}

function formsOf(value: string): Forms {
  const plain = [...new Set([value, encodeURIComponent(value.toWellFormed())])]
  const escaped = plain.map((form) => JSON.stringify(form).slice(1, -1))
  return {
    plain,
    escaped: escaped.filter((form) => !plain.includes(form)),
    encoded: [...new Set(base64Forms(value))],
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
