import { z } from 'zod'

export const folderConfig = z.strictObject({
  path: z
    .string()
    .trim()
    .min(1)
    .refine((value) => !value.includes('\0'), 'must be the path of a folder')
    .meta({
      title: 'Folder',
      description: 'Where the files are written: one JSON Lines file for each document. Created if missing.',
      examples: ['./elements'],
      widget: 'path',
    }),
})

export type FolderConfig = z.infer<typeof folderConfig>
