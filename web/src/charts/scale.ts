/** Round steps from zero to at least `most`, about `wanted` of them: 0, 5, 10, 15 for 13. */
export function ticksTo(most: number, wanted = 3): number[] {
  if (!(most > 0)) return [0, 1]
  const rough = most / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const ticks = Math.ceil(most / step - 1e-9)
  // Multiplied and rounded: 0.1 added three times is 0.30000000000000004.
  return Array.from({ length: ticks + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** At most `most` values, evenly chosen, with the first and the last. */
export function sampleEvenly<T>(values: T[], most: number): T[] {
  if (values.length <= most) return values
  if (most < 2) return values.slice(-1)
  return Array.from({ length: most }, (_, index) =>
    values.at(Math.round((index * (values.length - 1)) / (most - 1))),
  ) as T[]
}
