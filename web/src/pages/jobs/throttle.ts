/** Calls at once, then once per `everyMs` with the latest value. */
export function throttled<T>(callback: (value: T) => void, everyMs: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: { value: T } | undefined

  const flush = () => {
    const next = pending
    pending = undefined
    if (next) callback(next.value)
  }
  const update = (value: T) => {
    pending = { value }
    if (timer !== undefined) return
    flush()
    timer = setTimeout(() => {
      timer = undefined
      if (pending) update(pending.value)
    }, everyMs)
  }
  return Object.assign(update, { flush, stop: () => clearTimeout(timer) })
}
