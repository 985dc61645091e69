import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceConnectors } from '../../../src/connectors/registry.ts'
import { typeInformation } from '../../../src/connectors/type-information.ts'
import { settingFields, subtypes } from '../pages/workflows/draft/node-subtypes.ts'
import { fieldsOf, type ObjectSchema } from '../schema-form/schema.ts'
import { optionTexts } from './options.ts'

/** The same in all languages. */
const NAMES = /^(all-minilm-l6-v2|http:.*)$/

test('the page names every choice of a setting', () => {
  const connectors = [...serviceConnectors.sources, ...serviceConnectors.destinations].flatMap((type) =>
    fieldsOf(typeInformation(type).schema as ObjectSchema),
  )
  const steps = Object.values(subtypes).flat().flatMap(settingFields)
  const options = new Set([...connectors, ...steps].flatMap((field) => field.options))
  assert.ok(options.size > 10)
  assert.deepEqual(
    [...options].filter((option) => !NAMES.test(option) && !optionTexts[option]),
    [],
  )
})
