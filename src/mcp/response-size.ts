/** Clients cut or refuse longer results. */
export const MAX_RESPONSE_TOKENS = 20_000

// The JSON is sent twice, as structured content and as text; the rest is for the envelope.
const BUDGET = (MAX_RESPONSE_TOKENS - 1_000) / 2

/** An upper bound for common tokenizers, which disagree. */
export function estimateTokens(text: string): number {
  let tokens = 0
  for (let at = 0; at < text.length; at++) tokens += tokensOfUnit(text.charCodeAt(at))
  return Math.ceil(tokens)
}

/** Leaves out the last items until the response fits. */
export function fitItems<T, R>(items: T[], toResponse: (kept: T[], omitted: number) => R): R {
  for (let count = items.length; ; count--) {
    const response = toResponse(items.slice(0, count), items.length - count)
    if (count === 0 || estimateTokens(JSON.stringify(response)) <= BUDGET) return response
  }
}

/** Where the part of a text that begins at `start` has to end, so that it fits with the rest of the response. */
export function endOfPart(text: string, start: number, rest: unknown): number {
  let left = BUDGET - estimateTokens(JSON.stringify(rest))
  let end = start
  while (end < text.length) {
    const unit = text.charCodeAt(end)
    left -= tokensOfUnit(unit) + (isEscaped(unit) ? 1 : 0)
    if (left < 0) break
    end++
  }
  return end === text.length ? end : wordEnd(text, start, end)
}

/** Prefers the end of a paragraph, then of a line, then of a word, within the last tenth. */
function wordEnd(text: string, start: number, end: number): number {
  const earliest = end - Math.floor((end - start) / 10)
  for (const separator of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(separator, end - separator.length)
    if (at >= earliest) return at + separator.length
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return Math.max(start + 1, splitsPair ? end - 1 : end)
}

function tokensOfUnit(unit: number): number {
  if (unit > 127) return 1.5
  return isLetterOrSpace(unit) ? 0.4 : 1
}

/** JSON writes controls, quotes and backslashes with a backslash. */
function isEscaped(unit: number): boolean {
  return unit < 32 || unit === 34 || unit === 92
}

function isLetterOrSpace(unit: number): boolean {
  const lower = unit | 32
  return unit === 32 || (lower >= 97 && lower <= 122)
}
