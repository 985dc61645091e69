import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonSchema } from '../../src/connectors/describe.ts'
import type { DestinationType, SourceType } from '../../src/connectors/type.ts'
import { typeInformation } from '../../src/connectors/type-information.ts'

/** The contract of every connector type. */
export function typeContract(type: SourceType | DestinationType): void {
  test('it declares a title, a sentence, an icon, documentation and terms', () => {
    const { title, about, icon, docs, terms } = typeInformation(type)
    assert.ok(title && docs)
    assert.match(about, /^[A-Z].*\.$/)
    assert.match(icon, /^[a-z-]+$/)
    for (const term of Object.values(terms)) assert.match(term, /^[a-z ]+$/)
  })

  test('it gives every setting a title, a description and a type', () => {
    const { properties } = jsonSchema(type) as { properties: Record<string, Record<string, unknown>> }
    for (const [name, property] of Object.entries(properties))
      for (const key of ['title', 'description', 'type']) assert.ok(property[key], `${name} has no ${key}`)
  })

  test('it names only existing fields', () => {
    const { schema, field_aliases, location_fields, sign_in_modes } = typeInformation(type)
    const known = Object.keys(schema.properties as object)
    const modes = sign_in_modes.flatMap(({ fields, fixed = {} }) => [
      ...fields.map(({ name }) => name),
      ...Object.keys(fixed),
    ])
    const named = [...Object.values(field_aliases), ...type.addressFields, ...location_fields, ...modes]
    assert.deepEqual(
      named.filter((name) => !known.includes(name)),
      [],
    )
    assert.ok(location_fields.length > 0)
  })
}
