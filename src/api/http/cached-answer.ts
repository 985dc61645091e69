/** Reads at most once per period; concurrent callers share one read. A failed read is not kept. */
export function cachedAnswer<T>(
  read: () => Promise<T>,
  { forMs, now = Date.now }: { forMs: number; now?: () => number },
): () => Promise<T> {
  let answer: Promise<T> | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let isReading = false

  return () => {
    if (answer && (isReading || now() - readAt < forMs)) return answer
    isReading = true
    const reading = read()
    answer = reading
    reading.then(
      () => {
        readAt = now()
        isReading = false
      },
      () => {
        answer = null
        isReading = false
      },
    )
    return reading
  }
}
