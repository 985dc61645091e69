import { z } from 'zod'

/** Invented: no server has this name, and record ids begin with its host. */
export const SAMPLE_URL = 'http://sample-wiki.millrace.internal'

export const sampleSchema = z.strictObject({
  url: z.enum([SAMPLE_URL], `url can only be ${SAMPLE_URL}`).default(SAMPLE_URL).meta({
    title: 'Address of the sample wiki',
    description: 'Invented: the pages come with this service, and nothing is sent there.',
  }),
  spaces: z
    .array(z.string().trim().min(1), 'spaces must be a list of space keys')
    .default([])
    .meta({
      title: 'Spaces',
      description: 'Keys of the spaces to read. Empty for all spaces.',
      examples: [['ENG', 'HB']],
      widget: 'scopes',
    }),
})

export type SampleConfig = z.output<typeof sampleSchema>
