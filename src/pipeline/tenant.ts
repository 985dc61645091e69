import { type TokenMeter, unlimitedMeter } from './models/token-meter.ts'

/** The workspace that a runner works for: workspaces take turns, and each counts its own model tokens. */
export type Tenant = { workspace: string; meter: TokenMeter }

/** For a process with one user. */
export const soleTenant: Tenant = { workspace: '', meter: unlimitedMeter }
