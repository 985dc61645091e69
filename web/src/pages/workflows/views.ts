/** Views of one workflow, named in the address. */
export const views = ['canvas', 'list', 'yaml', 'preview'] as const
export type View = (typeof views)[number]
