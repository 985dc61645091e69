/** Checks of a listing that prove again what is already known; they grow with the pages listed so far. */
export type CheckBudget = {
  addPages(count: number): void
  /** False if the listing has no checks left. */
  take(count: number): boolean
}

export function createCheckBudget({ first, perPage }: { first: number; perPage: number }): CheckBudget {
  let left = first
  return {
    addPages: (count) => {
      left += count * perPage
    },
    take: (count) => {
      if (left < count) return false
      left -= count
      return true
    },
  }
}
