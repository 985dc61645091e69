/** Requests that a 401 stopped wait here until the person has signed in again. */
let waiting: { done: Promise<void>; resolve: () => void } | null = null
let hasSession = false
let resumed = 0
const listeners = new Set<() => void>()

/** Called by the shell; before sign-in, a 401 has another meaning. */
export function markSignedIn(): void {
  hasSession = true
}

/** Before signing out on purpose: no dialog then. */
export function markSignedOut(): void {
  hasSession = false
}

export function isSignedIn(): boolean {
  return hasSession
}

/** Resolves after the same person has signed in again; the dialog in the shell asks for it. */
export function signedInAgain(): Promise<void> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { done: promise, resolve }
    notify()
  }
  return waiting.done
}

/** How often a session was resumed; a request that began before needs only to be repeated. */
export function timesResumed(): number {
  return resumed
}

/** Repeats the stopped requests. */
export function resumeSession(): void {
  resumed++
  waiting?.resolve()
  waiting = null
  notify()
}

export function isSessionEnded(): boolean {
  return waiting !== null
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}
