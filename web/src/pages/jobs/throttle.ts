/** Calls at once, then once per `everyMs` with the latest value. */
export function throttled<T>(show: (value: T) => void, everyMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let waiting: { value: T } | undefined

  const flush = () => {
    const next = waiting
    waiting = undefined
    if (next) show(next.value)
  }
  const take = (value: T) => {
    waiting = { value }
    if (timer !== undefined) return
    flush()
    timer = setTimeout(() => {
      timer = undefined
      if (waiting) take(waiting.value)
    }, everyMs)
  }
  return Object.assign(take, { flush, stop: () => clearTimeout(timer) })
}
