import type { Field } from './schema.ts'

/** One of several ways to sign in, as the connector type declares it. */
export type Mode = {
  id: string
  title: string
  description: string
  /** The fields it needs, all required, with their texts in this mode. */
  fields: { name: string; title?: string | undefined; description?: string | undefined }[]
  /** Values that other fields must have in this mode; the form hides those fields, unless they have named choices. */
  fixed?: Record<string, unknown> | undefined
  /** Values of other fields for which the form selects the mode. */
  usual_for?: Record<string, unknown> | undefined
}

/** The fields to show in a mode, with its texts. */
export function fieldsIn(fields: Field[], modes: Mode[], chosen: string): Field[] {
  const mode = modes.find(({ id }) => id === chosen)
  return fields.flatMap((field) => {
    const { name, choices } = field
    if (mode?.fixed && name in mode.fixed && !choices) return []
    if (!belongsToModes(modes, name)) return [field]
    const own = mode?.fields.find((each) => each.name === name)
    if (!own) return []
    return [
      { ...field, required: true, title: own.title ?? field.title, help: own.description ?? field.help },
    ]
  })
}

/** Whether a field is shown only in some modes. */
export function belongsToModes(modes: Mode[], name: string): boolean {
  return modes.some(({ fields }) => fields.some((field) => field.name === name))
}

/** The mode whose fields are exactly the stored ones, else the first. */
export function modeOf(modes: Mode[], stored: Record<string, unknown>): string {
  const names = new Set(modes.flatMap(({ fields }) => fields.map(({ name }) => name)))
  const set = [...names].filter((name) => stored[name] !== undefined && stored[name] !== null)
  const fits = modes.find(
    ({ fields }) => fields.length === set.length && fields.every(({ name }) => set.includes(name)),
  )
  return (fits ?? modes[0])?.id ?? ''
}

type Choice = { mode: string; isChosen: boolean }

/** The mode after other fields changed: the usual one, unless a person chose another that fits. */
export function followingMode(
  modes: Mode[],
  { mode, isChosen }: Choice,
  values: Record<string, unknown>,
): string {
  const has = (wanted: Record<string, unknown> = {}) =>
    Object.entries(wanted).every(([name, value]) => values[name] === value)
  const current = modes.find(({ id, fixed }) => id === mode && has(fixed))
  if (current && isChosen) return mode
  const usual = modes.find(({ usual_for: wanted }) => wanted && has(wanted))
  return (usual ?? current ?? modes.find(({ fixed }) => has(fixed)))?.id ?? mode
}
