// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a job file look so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillReferences } from './references.ts'

const env = { A: 'one', B_2: 'two ${A}', EMPTY: '' }

test('names in braces become values, anywhere in a text and at any depth', () => {
  const given = { x: ['${A}', { y: 'a${A}b${B_2}c' }], n: 5, t: true, z: null }
  assert.deepEqual(fillReferences(given, env), {
    x: ['one', { y: 'aonebtwo ${A}c' }],
    n: 5,
    t: true,
    z: null,
  })
})

test('a value is taken as it is, not read for references again', () => {
  assert.equal(fillReferences('${B_2}', env), 'two ${A}')
})

test('a dollar sign alone is one, and two before a brace are the characters themselves', () => {
  assert.equal(fillReferences('pa$$word $A $ $${A} {A}', env), 'pa$$word $A $ ${A} {A}')
})

test('what is not set or empty is an error that names the place and the variable, never a value', () => {
  for (const name of ['NONE', 'EMPTY'])
    assert.throws(
      () => fillReferences({ source: { config: { token: `\${A}\${${name}}` } } }, env),
      (error: Error) => {
        assert.match(error.message, new RegExp(`source\\.config\\.token .*${name}, which is not set`))
        assert.ok(!error.message.includes('one'))
        return true
      },
    )
})

test('what is no name is refused, and an open brace is no reference', () => {
  for (const text of ['${}', '${1A}', '${A-B}', '${A:-x}'])
    assert.throws(() => fillReferences(text, env), /not a variable name/)
  assert.equal(fillReferences('${A', env), '${A')
})
