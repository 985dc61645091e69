import type { TextLink } from '../../running-text.ts'

/** `parent` is the id of the shape around it; the position is relative to that shape. */
export type Shape = {
  id: string
  parent: string
  text: string
  links: TextLink[]
  top: number
  left: number
  height: number
}

/** Rows from top to bottom, each from left to right; the shapes inside a shape follow it. */
export function shapesInOrder(shapes: readonly Shape[]): Shape[] {
  const ids = new Set(shapes.map(({ id }) => id))
  const groups = Map.groupBy(shapes, ({ id, parent }) => (ids.has(parent) && parent !== id ? parent : ''))
  const ordered: Shape[] = []
  const seen = new Set<Shape>()
  const visit = (first: Shape[]) => {
    const open = byRows(first).reverse()
    for (let shape = open.pop(); shape; shape = open.pop()) {
      if (seen.has(shape)) continue
      seen.add(shape)
      ordered.push(shape)
      const inside = groups.get(shape.id)
      if (!inside) continue
      // Of shapes with the same id, the first holds the others.
      groups.delete(shape.id)
      for (const each of byRows(inside).reverse()) open.push(each)
    }
  }
  visit(groups.get('') ?? [])
  // Shapes that are inside each other.
  for (const shape of shapes) if (!seen.has(shape)) visit([shape])
  return ordered
}

/** Shapes that begin less than half their height apart are in one row. */
function byRows(shapes: Shape[]): Shape[] {
  const rows: Shape[][] = []
  for (const shape of shapes.toSorted((a, b) => a.top - b.top || a.left - b.left)) {
    const first = rows.at(-1)?.[0]
    const isInRow = first && shape.top - first.top < Math.min(first.height, shape.height) / 2
    if (isInRow) rows.at(-1)?.push(shape)
    else rows.push([shape])
  }
  return rows.flatMap((row) => row.sort((a, b) => a.left - b.left))
}
