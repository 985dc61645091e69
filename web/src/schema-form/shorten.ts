import type { Field } from './schema.ts'

/** A value cut as its field declares, and the scope that it named. */
export function shorten(
  { shortens }: Pick<Field, 'shortens'>,
  given: string,
): { value: string; scope: string | undefined } {
  const text = given.trim()
  for (const { pattern, value, scope } of shortens) {
    const groups = new RegExp(pattern, 'i').exec(text)
    if (!groups) continue
    const filled = (template: string) =>
      template.replaceAll(/\$(\d)/g, (_, group) => groups[Number(group)] ?? '')
    return { value: filled(value), scope: scope === undefined ? undefined : decoded(filled(scope)) }
  }
  return { value: text, scope: undefined }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
