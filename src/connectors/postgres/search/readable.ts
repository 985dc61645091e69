/** The permission filter of every statement; `tokens` is SQL for the reader's tokens. `?|` would match keys of an object. */
export function readableCondition(tokens: string): string {
  return `access->'c0' ?| ${tokens} and not exists (
    select from jsonb_each(access) as clause
    where jsonb_typeof(clause.value) = 'object' or not clause.value ?| ${tokens})`
}
