import { useState } from 'react'
import { type SetupStep, setupSteps } from './setup-steps.ts'

/** The steps that this person does not want to see in this browser. */
export function useDismissed(workspaceId: string): [SetupStep[], (step: SetupStep) => void] {
  const key = `millrace.dismissed ${workspaceId}`
  const [dismissed, setDismissed] = useState(() => readSteps(key))
  const dismiss = (step: SetupStep) => {
    const next = [...dismissed, step]
    setDismissed(next)
    try {
      localStorage.setItem(key, next.join(' '))
    } catch {
      // Without storage, the next visit shows it again.
    }
  }
  return [dismissed, dismiss]
}

function readSteps(key: string): SetupStep[] {
  try {
    const words = localStorage.getItem(key)?.split(' ') ?? []
    return setupSteps.filter((step) => words.includes(step))
  } catch {
    return []
  }
}
