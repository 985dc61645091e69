import { labTexts } from '../../texts/lab.ts'
import { counted } from '../../texts/nouns.ts'
import { count } from '../../texts/times.ts'
import { isSelf } from './person.ts'
import type { Comparison, Person } from './types.ts'

const texts = labTexts.results

type Counts = Pick<Comparison, 'differ' | 'differ_relation' | 'everyone'> & {
  people: Pick<Comparison['people'][number], 'found' | 'found_relation' | 'only'>[]
}

/** “Only Tom finds 2, only Ann 1, both 12.” Every document counts once. */
export function findsSummary(
  { people: results, differ, differ_relation: relation, everyone }: Counts,
  people: readonly Person[],
  names: readonly string[],
): string {
  const [first] = results
  const [only] = people
  if (people.length === 1 && first && only) {
    const found = first.found_relation === 'lte' ? texts.about(first.found) : counted(first.found, 'document')
    return isSelf(only) ? texts.selfFinds(found) : texts.finds(names[0] ?? '', found)
  }
  const number = relation === 'gte' ? texts.atLeast : count
  const some = results.reduce((rest, each) => rest - each.only, differ)
  const parts = [
    ...results.map((each, index) =>
      (index === 0 ? texts.onlyFinds : texts.only)(names[index] ?? '', number(each.only)),
    ),
    ...(people.length > 2 ? [texts.two(number(some))] : []),
    (people.length > 2 ? texts.three : texts.both)(number(everyone)),
  ]
  return `${parts.join(', ')}.`
}
