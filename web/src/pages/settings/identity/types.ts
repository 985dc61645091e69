import type { z } from 'zod'
import type {
  identityPageShape,
  identitySettingsShape,
  identityTestShape,
  unmatchedShape,
} from '../../../../../src/api/shapes/identity.ts'

export type IdentitySettings = z.infer<typeof identitySettingsShape>
export type IdentityTest = z.infer<typeof identityTestShape>
export type IdentityPage = z.infer<typeof identityPageShape>
export type UnmatchedPage = z.infer<typeof unmatchedShape>
