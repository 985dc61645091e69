import { AppError } from '../../../errors.ts'

const MAX_NAMES = 100

/** Tries `Name`, `Name 2` and so on until `create` returns something; undefined means that the name is taken. */
export async function createWithFreeName<T>(
  base: string,
  create: (name: string) => Promise<T | undefined>,
): Promise<T> {
  for (let number = 1; number <= MAX_NAMES; number++) {
    const created = await create(number === 1 ? base : `${base} ${number}`)
    if (created) return created
  }
  throw new AppError('name_taken', `every name from "${base}" to "${base} ${MAX_NAMES}" is taken`, {
    fix: 'Rename or delete one of them',
  })
}
