/** Views of one workflow, named in the address. A new workflow has no overview. */
export const views = ['overview', 'steps', 'yaml', 'preview'] as const
export type View = (typeof views)[number]

/** Addresses of earlier releases name the canvas and the list, which are one view now. */
export function viewIn(value: unknown): View | undefined {
  if (value === 'canvas' || value === 'list') return 'steps'
  return views.find((view) => view === value)
}
