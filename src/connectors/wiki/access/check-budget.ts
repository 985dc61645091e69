export type CheckBudget = ReturnType<typeof createCheckBudget>

/** Checks of a listing that prove again what is already known; they grow with the pages listed so far. */
export function createCheckBudget({ first, perPage }: { first: number; perPage: number }) {
  let left = first
  return {
    addPages: (count: number) => {
      left += count * perPage
    },
    /** False if the listing has no checks left. */
    take: (count: number): boolean => {
      if (left < count) return false
      left -= count
      return true
    },
  }
}
