import { may, type Role } from '../../service/types.ts'
import type { Overview } from './types.ts'

const needs = {
  sample: 'developer',
  source: 'developer',
  destination: 'developer',
  run: 'operator',
  schedule: 'operator',
  invite: 'administrator',
  assistant: 'viewer',
} satisfies Record<string, Role>

export type SetupStep = keyof typeof needs
export const setupSteps = Object.keys(needs) as SetupStep[]

type Person = { role: Role; isBusiness: boolean }

/** The steps of a person, and whether each is done. */
export function setupStepsOf(
  { setup }: Pick<Overview, 'setup'>,
  { role, isBusiness }: Person,
): { step: SetupStep; isDone: boolean }[] {
  const done: Record<SetupStep, boolean> = {
    sample: setup.has_sample_run,
    source: setup.has_source,
    destination: setup.has_destination,
    run: setup.has_run,
    schedule: setup.has_schedule,
    invite: setup.has_colleague,
    assistant: setup.has_token,
  }
  return setupSteps
    .filter((step) => may(role, needs[step]) && (step !== 'invite' || isBusiness))
    .map((step) => ({ step, isDone: done[step] }))
}
