import { labTexts } from '../../texts/lab.ts'
import { counted } from '../../texts/nouns.ts'
import { count } from '../../texts/times.ts'
import { isSelf } from './person.ts'
import type { Comparison, Person } from './types.ts'

const texts = labTexts.results

type Counts = Pick<Comparison, 'differ' | 'differ_relation'> & {
  people: Pick<Comparison['people'][number], 'found' | 'found_relation'>[]
}

/** “Tom finds 12, Ann finds 9; 3 differ” */
export function findsSummary(
  { people: results, differ, differ_relation: relation }: Counts,
  people: readonly Person[],
  names: readonly string[],
): string {
  const [first] = results
  const [only] = people
  if (people.length === 1 && first && only) {
    const found = isEstimate(first) ? texts.about(first.found) : counted(first.found, 'document')
    return isSelf(only) ? texts.selfFinds(found) : texts.finds(names[0] ?? '', found)
  }
  const finds = results.map((result, index) => {
    const found = isEstimate(result) ? texts.about(result.found) : count(result.found)
    return texts.finds(names[index] ?? '', found)
  })
  return `${finds.join(', ')}; ${relation === 'gte' ? texts.atLeastDiffer(differ) : differenceOf(differ)}`
}

function isEstimate({ found_relation: relation }: Counts['people'][number]): boolean {
  return relation === 'lte'
}

function differenceOf(differ: number): string {
  if (differ === 0) return texts.same
  return differ === 1 ? texts.oneDiffers : texts.differ(differ)
}
