import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyOf, emptyDraft, isSame } from '../draft/draft.ts'
import { newNode } from '../draft/node-subtypes.ts'
import type { Draft } from '../types.ts'
import { type Connectors, fromYaml, linesOf, toYaml } from './yaml.ts'

const connectors: Connectors = {
  sources: [{ id: 'source-1', name: 'Team wiki: the old one' }],
  destinations: [{ id: 'destination-1', name: 'Search' }],
}
const draft: Draft = {
  ...emptyDraft(),
  name: 'Wiki into search',
  sourceId: 'source-1',
  destinationId: 'destination-1',
  schedule: 'every hour',
  swapIndex: true,
}

function problems(text: string): string[] {
  const result = fromYaml(text, connectors)
  return 'problems' in result ? result.problems.map(({ line, message }) => `${line}: ${message}`) : []
}

describe('a workflow as YAML', () => {
  test('is restored unchanged, with node ids', () => {
    const nodes = [
      { ...newNode('partition'), id: 'p', settings: { exclude_elements: ['Image'] } },
      { ...newNode('chunk'), id: 'c', subtype: 'chunk_by_character', settings: { max_characters: 700 } },
      { ...newNode('embed'), id: 'e' },
    ]
    const result = fromYaml(toYaml({ ...draft, nodes }, connectors), connectors, nodes)
    assert.ok('draft' in result)
    assert.deepEqual(bodyOf(result.draft), bodyOf({ ...draft, nodes }))
  })

  test('leaves missing connectors empty', () => {
    const bare = { ...draft, sourceId: null, schedule: null }
    const text = toYaml(bare, connectors)
    assert.match(text, /^source:$/m)
    const result = fromYaml(text, connectors)
    assert.ok('draft' in result && isSame(result.draft, bare))
  })

  test('restores the age of permissions, and uses the defaults without it', () => {
    const ages = {
      permissionsSchedule: 'every 1 minute',
      maxPermissionAgeHours: null,
      hideInIndexAfterHours: 0.5,
    }
    const result = fromYaml(toYaml({ ...draft, ...ages }, connectors), connectors)
    assert.ok('draft' in result && isSame(result.draft, { ...draft, ...ages }))
    const old = fromYaml('name: A\nnodes:\n  - type: partition\n', connectors)
    assert.ok('draft' in old)
    assert.deepEqual(
      [old.draft.permissionsSchedule, old.draft.maxPermissionAgeHours, old.draft.hideInIndexAfterHours],
      ['every 15 minutes', 24, null],
    )
  })

  test('names the line of every error', () => {
    const text = `name: A
source: Unknown
shedule: daily
reprocess_all: sometimes
nodes:
  - type: partition
    sub: slow
  - type: chop
max_permission_age_hours: a day
`
    assert.deepEqual(
      problems(text).map((line) => line.slice(0, 24)),
      [
        '2: There is no source na',
        '3: Unknown key “shedule”',
        '4: reprocess_all must be',
        '7: Unknown key “sub”. Kn',
        '8: Unknown step type “ch',
        '9: max_permission_age_ho',
      ],
    )
  })

  test('names the line of syntax errors, and rejects aliases', () => {
    assert.match(problems('name: A\nnodes:\n  - type: partition\n   bad: 1\n')[0] ?? '', /^[34]: /)
    assert.match(problems('name: A\nnodes:\n  - &s {type: partition}\n  - *s\n')[0] ?? '', /^4: Aliases/)
  })

  test('shows service errors at their line', () => {
    const text = toYaml(draft, connectors)
    const [problem] = linesOf(text, { 'workflow_nodes.1.settings.overlap': 'too much' })
    // The chunker has no settings; the nearest line counts.
    assert.match(text.split('\n')[(problem?.line ?? 0) - 1] ?? '', /settings/)
    assert.deepEqual(linesOf(text, { source_id: 'gone' }), [{ line: 3, message: 'gone' }])
  })
})
