/** The items that pass the test, and the others. */
export function split<T>(items: T[], test: (item: T) => boolean): [T[], T[]] {
  const { passed = [], others = [] } = Object.groupBy(items, (item) => (test(item) ? 'passed' : 'others'))
  return [passed, others]
}
