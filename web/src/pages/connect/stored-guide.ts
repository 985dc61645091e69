import { type GuideAddress, guideSteps } from './types.ts'

const GUIDES = 'millrace.guide '
const DRAFTS = 'millrace.draft '
const keyOf = (workspaceId: string) => GUIDES + workspaceId
const draftsOf = (workspaceId: string) => DRAFTS + workspaceId

/** Where this person left the guide in this browser. */
export function storedGuide(workspaceId: string): GuideAddress {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(workspaceId)) ?? '{}') as GuideAddress
    return guideSteps.some((step) => step === stored.step) ? stored : {}
  } catch {
    return {}
  }
}

export function storeGuide(workspaceId: string, address: GuideAddress): void {
  try {
    localStorage.setItem(keyOf(workspaceId), JSON.stringify(address))
  } catch {
    // A full or forbidden storage only loses the place.
  }
}

export function forgetGuide(workspaceId: string): void {
  removeAll(localStorage, keyOf(workspaceId))
  removeAll(sessionStorage, draftsOf(workspaceId))
}

/** At sign-out, in all workspaces: another person may sign in here. */
export function forgetAllGuides(): void {
  removeAll(localStorage, GUIDES)
  removeAll(sessionStorage, DRAFTS)
}

function removeAll(storage: Storage, prefix: string): void {
  for (const key of Object.keys(storage)) if (key.startsWith(prefix)) storage.removeItem(key)
}

/** The draft of a connector of this type. */
export function draftKey(workspaceId: string, { kind, type }: { kind: string; type: string }): string {
  return `${draftsOf(workspaceId)} ${kind} ${type}`
}

export function hasStartedGuide(workspaceId: string): boolean {
  const hasDraft = Object.keys(sessionStorage).some((key) => key.startsWith(draftsOf(workspaceId)))
  return hasDraft || storedGuide(workspaceId).step !== undefined
}
