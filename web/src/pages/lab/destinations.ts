import type { Destination } from './types.ts'

/** The destination of the address, else the one that was written last. */
export function chosenDestination(all: readonly Destination[], id: string | undefined) {
  return all.find((each) => each.id === id) ?? all.toSorted(byLastWrite)[0]
}

function byLastWrite(one: Destination, other: Destination): number {
  return (other.last_written_at ?? '').localeCompare(one.last_written_at ?? '')
}
