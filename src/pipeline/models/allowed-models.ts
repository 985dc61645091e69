/** Patterns such as `openai/gpt-4o*`; an empty list allows every model. */
export type AllowedModels = readonly string[]

export function isAllowedModel(
  allowed: AllowedModels,
  { provider, model }: { provider: string; model: string },
): boolean {
  return allowed.length === 0 || allowed.some((pattern) => matches(pattern, `${provider}/${model}`))
}

function matches(pattern: string, name: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(name)
}
