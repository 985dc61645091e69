import { z } from 'zod'

/** An element without its vector. */
export const elementShape = z.object({
  type: z.string(),
  element_id: z.string(),
  text: z.string(),
  metadata: z.looseObject({ filename: z.string(), filetype: z.string() }),
})
