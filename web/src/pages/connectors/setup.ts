import type { Field, Values } from '../../schema-form/schema.ts'

/** Whether a step is for these values. */
export function appliesTo({ when }: { when: Record<string, unknown> }, values: Values): boolean {
  return Object.entries(when).every(([name, value]) => values[name] === value)
}

/** `{{name}}` becomes the value of the field, else its example; a trailing slash of an address is dropped. */
export function fillTemplate(
  template: string,
  { values, fields }: { values: Values; fields: Pick<Field, 'name' | 'placeholder'>[] },
): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = String(values[name] ?? '').trim()
    return (value || fields.find((field) => field.name === name)?.placeholder || '').replace(/\/+$/, '')
  })
}
