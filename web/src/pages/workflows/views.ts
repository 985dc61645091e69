/** Views of one workflow, named in the address. A new workflow has no overview. */
export const views = ['overview', 'steps', 'yaml', 'preview'] as const
export type View = (typeof views)[number]

export function viewIn(value: unknown): View | undefined {
  return views.find((view) => view === value)
}
