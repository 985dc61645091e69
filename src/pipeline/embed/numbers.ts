/**
 * Six decimals: 3.6 KB for 384 values instead of 4.8. Five may break the unit length that an index by dot product
 * requires (1e-4).
 */
export function toNumbers(vector: Float32Array): number[] {
  // Adding 0 turns -0 into 0.
  return Array.from(vector, (value) => Math.round(value * 1e6) / 1e6 + 0)
}
