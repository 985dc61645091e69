/** The shortest decimals that round-trip as 32-bit floats: 11.5 characters instead of 20. */
export function toNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (value) => {
    const short = Number(value.toPrecision(8))
    return Math.fround(short) === value ? short : Number(value.toPrecision(9))
  })
}
