/** What an address says after the question mark is anybody's text; these keep only what fits. */
export function textIn(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name]
  // A token of digits alone is read as a number by the router.
  return typeof value === 'string' && value ? value : typeof value === 'number' ? String(value) : undefined
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((each) => each === value)
}
