import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ReleaseState, releaseProblems } from './release-checks.ts'

const READY: ReleaseState = {
  version: '1.2.0',
  lockedVersion: '1.2.0',
  pythonVersion: '1.2.0',
  changelog:
    '# Changelog\n\n## Unreleased\n\n## 1.2.0 (2026-11-17)\n\n### Added\n- A page.\n\n## 1.1.0\n- A key.\n',
  changedFiles: '',
  tags: ['v1.1.0'],
}

describe('the checks of a release', () => {
  test('it accepts a complete tree', () => {
    assert.deepEqual(releaseProblems(READY), [])
  })

  const cases: [string, Partial<ReleaseState>, RegExp][] = [
    ['uncommitted changes', { changedFiles: ' M src/main.ts' }, /not committed:\n M src\/main\.ts/],
    [
      'another version in the lock file',
      { lockedVersion: '1.1.0' },
      /package-lock\.json has the version 1\.1\.0/,
    ],
    [
      'another version of the Python package',
      { pythonVersion: '1.1.0' },
      /pyproject\.toml has the version 1\.1\.0/,
    ],
    ['a released version', { tags: ['v1.2.0'] }, /v1\.2\.0 already exists/],
    [
      'a version of words',
      { version: 'next', lockedVersion: 'next', pythonVersion: 'next', changelog: '## next\n- A.' },
      /not a version/,
    ],
    ['a version that the changelog lacks', { changelog: '## 1.2.01\n- A.' }, /no section "## 1\.2\.0"/],
    ['an empty section', { changelog: '## 1.2.0\n\n## 1.1.0\n- A.' }, /lists no change under "## 1\.2\.0"/],
    [
      'changes left as unreleased',
      { changelog: '## Unreleased\n- B.\n## 1.2.0\n- A.' },
      /under "## Unreleased"/,
    ],
  ]
  for (const [name, change, expected] of cases)
    test(`it refuses ${name}`, () => {
      const problems = releaseProblems({ ...READY, ...change })
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', expected)
    })
})
