import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { fieldErrors, splitErrors } from './form.ts'

test('keeps the first error of each field, by its dotted name', () => {
  const schema = z.object({
    name: z.string().min(3, 'too short').regex(/^a/, 'no a'),
    config: z.object({ url: z.url('no address') }),
  })
  const { error } = schema.safeParse({ name: 'b', config: { url: 'x' } })
  assert.ok(error)
  assert.deepEqual(fieldErrors(error), { name: 'too short', 'config.url': 'no address' })
})

test('keeps errors of fields that the form does not have', () => {
  assert.deepEqual(splitErrors({ name: 'Taken.', 'config.url': 'Wrong.', '': 'All wrong.' }, ['name']), {
    known: { name: 'Taken.' },
    others: { 'config.url': 'Wrong.', '': 'All wrong.' },
  })
})

test('builds no functions from text, which the page’s policy forbids', () => {
  assert.equal(z.config().jitless, true)
})
