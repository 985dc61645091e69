/** The pages of a batch are in memory together. */
const MAX_BATCH_BYTES = 8_000_000
const FIRST_BATCH = 50
const MAX_BATCH = 250

/** How many pages to read together, from the length of those read before. */
export type BodyBatches = { size(): number; add(bodies: string[]): void }

export function createBodyBatches(): BodyBatches {
  let size = FIRST_BATCH
  return {
    size: () => size,
    add: (bodies) => {
      if (bodies.length === 0) return
      const average = bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length
      const fitting = Math.floor(MAX_BATCH_BYTES / Math.max(1, average))
      // A batch of a few short pages says little about the next one.
      const most = Math.max(FIRST_BATCH, bodies.length * 3)
      size = Math.max(1, Math.min(fitting, most, MAX_BATCH))
    },
  }
}
