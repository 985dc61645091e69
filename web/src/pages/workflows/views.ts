/** The same workflow, looked at in four ways; which one is part of the address. */
export const views = ['canvas', 'list', 'yaml', 'preview'] as const
export type View = (typeof views)[number]
