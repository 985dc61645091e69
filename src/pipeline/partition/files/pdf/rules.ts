import { type Matrix, multiply } from './matrix.ts'
import type { Rule } from './page.ts'

/** Borders are lines or thin boxes; thicker shapes are surfaces. */
const MAX_THICKNESS = 3
const MIN_LENGTH = 8
/** Each rule is compared with every rule that may cross it. */
const MAX_RULES = 5000

type OperatorList = { fnArray: number[]; argsArray: unknown[] }
type Ops = typeof import('pdfjs-dist')['OPS']

/** The horizontal and vertical lines of a page. */
export function rulesOf({ fnArray, argsArray }: OperatorList, viewport: number[], ops: Ops): Rule[] {
  const rules: Rule[] = []
  const saved: Matrix[] = []
  let matrix = multiply(viewport, [1, 0, 0, 1, 0, 0])
  for (const [index, fn] of fnArray.entries()) {
    const args = argsArray[index]
    if (fn === ops.save || fn === ops.paintFormXObjectBegin) saved.push(matrix)
    else if (fn === ops.restore || fn === ops.paintFormXObjectEnd) matrix = saved.pop() ?? matrix
    else if (fn === ops.transform) matrix = multiply(matrix, args as number[])
    else if (fn === ops.constructPath) {
      const [paint, paths] = args as [number, (ArrayLike<number> | null)[]]
      const isFilled = paint === ops.fill || paint === ops.eoFill
      if (paint !== ops.endPath && paint !== ops.clip)
        addPath(rules, { path: paths?.[0] ?? [], matrix, isFilled })
    }
    if (fn === ops.paintFormXObjectBegin && Array.isArray((args as unknown[])?.[0]))
      matrix = multiply(matrix, (args as number[][])[0] ?? [])
  }
  return rules
}

/** Coordinates after each path operator: move, line, curve, quadratic, close. */
const COORDINATE_COUNTS = [2, 2, 6, 4, 0]

type Path = { path: ArrayLike<number>; matrix: Matrix; isFilled: boolean }

function addPath(rules: Rule[], { path, matrix, isFilled }: Path): void {
  let corners: [number, number][] = []
  let isStraight = true
  const end = () => {
    if (isStraight) addShape(rules, { corners, isFilled })
    corners = []
    isStraight = true
  }
  for (let at = 0; at < path.length; ) {
    const kind = path[at] ?? 4
    const count = COORDINATE_COUNTS[kind] ?? 0
    if (kind === 0) end()
    if (kind === 2 || kind === 3) isStraight = false
    if (kind < 2) {
      const [, , , , x, y] = multiply(matrix, [1, 0, 0, 1, path[at + 1] ?? 0, path[at + 2] ?? 0])
      corners.push([x, y])
    }
    at += count + 1
  }
  end()
}

function addShape(
  rules: Rule[],
  { corners, isFilled }: { corners: [number, number][]; isFilled: boolean },
): void {
  if (corners.length < 2 || corners.length > 5 || rules.length >= MAX_RULES) return
  const xs = corners.map(([x]) => x)
  const ys = corners.map(([, y]) => y)
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const [width, height] = [right - left, bottom - top]
  const horizontal = (y: number): Rule => ({ vertical: false, x: left, y, length: width })
  const vertical = (x: number): Rule => ({ vertical: true, x, y: top, length: height })
  if (height <= MAX_THICKNESS && width >= MIN_LENGTH) rules.push(horizontal((top + bottom) / 2))
  else if (width <= MAX_THICKNESS && height >= MIN_LENGTH) rules.push(vertical((left + right) / 2))
  else if (corners.length >= 4 && width >= MIN_LENGTH && height >= MIN_LENGTH)
    for (const edge of [horizontal(top), horizontal(bottom), vertical(left), vertical(right)])
      rules.push(isFilled ? { ...edge, ofSurface: true } : edge)
}
