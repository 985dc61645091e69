import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogue } from '../../../../src/errors.ts'
import { jobTexts } from '../../texts/jobs.ts'

test('it has words for each error that a job or its documents can have', () => {
  const parts = /^(source|destination|document|file|embedder|model|worker)_/
  const codes = Object.entries(catalogue).filter(
    ([code, { fails }]) => code !== 'unauthorized' && (fails === 'job' || parts.test(code)),
  )
  assert.ok(codes.length > 25)
  const missing = codes.filter(([code]) => !Object.hasOwn(jobTexts.errors, code))
  assert.deepEqual(missing, [])
})

test('it has no API name in words of errors and advice', () => {
  const shown = [
    ...Object.values(jobTexts.errors).flatMap(({ name, fix }) => [name, fix]),
    ...Object.values(jobTexts.said).map((words) => words('')),
  ]
  for (const text of shown) assert.doesNotMatch(text, /_|\bjob\b|\bnode\b/)
})
