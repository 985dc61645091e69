import type { Field, Values } from './schema.ts'

/**
 * Several ways to fill in some fields of which exactly one holds, such as ways to sign in. JSON Schema could say
 * it with `oneOf`; whoever fills in the form should see one question and then only what belongs to the answer.
 */
export type Modes = {
  label: string
  help?: string
  options: Mode[]
}

export type Mode = {
  value: string
  label: string
  help?: string
  /** The fields it asks for, all of them needed. */
  shows: string[]
  /** What the fields are called in this mode. */
  titles?: Record<string, string>
  helps?: Record<string, string>
  /** Fields that can have but one value in this mode, and so are not asked for. */
  fixed?: Values
}

/** The fields that a mode leaves to be asked for, under the names it gives them. */
export function fieldsIn(fields: Field[], modes: Modes | undefined, chosen: string): Field[] {
  if (!modes) return fields
  const mode = modes.options.find(({ value }) => value === chosen)
  const governed = new Set(modes.options.flatMap(({ shows }) => shows))
  return fields.flatMap((field) => {
    const { name } = field
    if (mode?.fixed && name in mode.fixed) return []
    if (!governed.has(name)) return [field]
    if (!mode?.shows.includes(name)) return []
    return [
      {
        ...field,
        required: true,
        title: mode.titles?.[name] ?? field.title,
        help: mode.helps?.[name] ?? field.help,
      },
    ]
  })
}

/** The fields that stand under the choice, and so are drawn with it. */
export function isGoverned(modes: Modes | undefined, name: string): boolean {
  return modes?.options.some(({ shows }) => shows.includes(name)) ?? false
}

/** Which mode the stored fields are: the one whose fields are exactly those that are set. */
export function modeOf(modes: Modes | undefined, stored: Record<string, unknown>): string {
  if (!modes) return ''
  const governed = [...new Set(modes.options.flatMap(({ shows }) => shows))]
  const set = governed.filter((name) => stored[name] !== undefined && stored[name] !== null)
  const fits = modes.options.find(
    ({ shows }) => shows.length === set.length && shows.every((name) => set.includes(name)),
  )
  return (fits ?? modes.options[0])?.value ?? ''
}
