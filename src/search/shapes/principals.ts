import { z } from 'zod'

/** `name` is null if it is not known. */
export const namedId = z.object({ id: z.string(), name: z.string().nullable() })

/** What a level names, under the source's own ids. `more` counts what is left out. */
export const principalsShape = z.object({
  users: z.array(namedId),
  groups: z.array(namedId),
  classes: z.array(z.string()),
  more: z.number(),
})
export type NamedPrincipals = z.infer<typeof principalsShape>
