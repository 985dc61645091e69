/** Round steps from zero to at least `max`, about `tickCount` of them: 0, 5, 10, 15 for 13. */
export function ticksTo(max: number, tickCount = 3): number[] {
  if (!(max > 0)) return [0, 1]
  const rough = max / tickCount
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power
  const ticks = Math.ceil(max / step - 1e-9)
  // Multiplied and rounded: 0.1 added three times is 0.30000000000000004.
  return Array.from({ length: ticks + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}
