import { type GuideAddress, guideSteps } from './types.ts'

const keyOf = (workspaceId: string) => `millrace.guide ${workspaceId}`
const draftsOf = (workspaceId: string) => `millrace.draft ${workspaceId}`

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
  localStorage.removeItem(keyOf(workspaceId))
  for (const key of Object.keys(sessionStorage))
    if (key.startsWith(draftsOf(workspaceId))) sessionStorage.removeItem(key)
}

/** The draft of a connector of this type. */
export function draftKey(workspaceId: string, { kind, type }: { kind: string; type: string }): string {
  return `${draftsOf(workspaceId)} ${kind} ${type}`
}

export function hasStartedGuide(workspaceId: string): boolean {
  const hasDraft = Object.keys(sessionStorage).some((key) => key.startsWith(draftsOf(workspaceId)))
  return hasDraft || storedGuide(workspaceId).step !== undefined
}
