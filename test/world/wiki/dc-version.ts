import type { World } from './model/model.ts'

export function atLeast(world: World, wanted: string): boolean {
  const [major = 0, minor = 0] = world.settings.dcVersion.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
