// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a job file have this form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillReferences } from './references.ts'

const env = { A: 'one', B_2: 'two ${A}', EMPTY: '' }

test('it replaces references anywhere in a text and at any depth', () => {
  const given = { x: ['${A}', { y: 'a${A}b${B_2}c' }], n: 5, t: true, z: null }
  assert.deepEqual(fillReferences(given, env), {
    x: ['one', { y: 'aonebtwo ${A}c' }],
    n: 5,
    t: true,
    z: null,
  })
})

test('it does not replace references inside a value', () => {
  assert.equal(fillReferences('${B_2}', env), 'two ${A}')
})

test('it keeps a single dollar sign and unescapes two before a brace', () => {
  assert.equal(fillReferences('pa$$word $A $ $${A} {A}', env), 'pa$$word $A $ ${A} {A}')
})

test('it reports an unset or empty variable with its setting, never with a value', () => {
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

test('it refuses an invalid variable name and ignores an unclosed brace', () => {
  for (const text of ['${}', '${1A}', '${A-B}', '${A:-x}'])
    assert.throws(() => fillReferences(text, env), /not a variable name/)
  assert.equal(fillReferences('${A', env), '${A')
})
