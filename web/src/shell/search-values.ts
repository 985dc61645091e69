/** Query parameters are untrusted; these keep valid values. */
export function textIn(search: Record<string, unknown>, name: string): string | undefined {
  const value = search[name]
  // The router parses a token of digits as a number.
  return typeof value === 'string' && value ? value : typeof value === 'number' ? String(value) : undefined
}

export function oneOf<const T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((each) => each === value)
}
