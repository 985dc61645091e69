/** Whether `9.12.1` is at least `9.2`, number by number; a version that is not known counts as new. */
export function atLeast(version: string | null, wanted: string): boolean {
  if (version === null) return true
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)
}
