export type ReleaseState = {
  version: string
  lockedVersion: string
  /** Of packages/python/pyproject.toml. */
  pythonVersion: string
  changelog: string
  /** The output of `git status --porcelain`. */
  changedFiles: string
  tags: string[]
}

/** Why this tree cannot be released, one line each. */
export function releaseProblems(state: ReleaseState): string[] {
  const { version, lockedVersion, pythonVersion, changelog, changedFiles, tags } = state
  const problems: string[] = []
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) problems.push(`${version} is not a version`)
  if (changedFiles) problems.push(`the tree has changes that are not committed:\n${changedFiles}`)
  if (lockedVersion !== version)
    problems.push(
      `package-lock.json has the version ${lockedVersion}, package.json ${version}; run npm install`,
    )
  if (pythonVersion !== version)
    problems.push(`packages/python/pyproject.toml has the version ${pythonVersion}, package.json ${version}`)
  if (tags.includes(`v${version}`))
    problems.push(`v${version} already exists; raise the version in package.json`)
  const entry = entryOf(changelog, version)
  if (entry === null) problems.push(`CHANGELOG.md has no section "## ${version}"`)
  else if (!entry.includes('- ')) problems.push(`CHANGELOG.md lists no change under "## ${version}"`)
  if (entryOf(changelog, 'Unreleased')?.includes('- '))
    problems.push('CHANGELOG.md still lists changes under "## Unreleased"')
  return problems
}

/** The text below a heading such as `## 1.2.0` or `## 1.2.0 (2026-11-17)`; null without the heading. */
function entryOf(changelog: string, title: string): string | null {
  const sections = changelog.split(/^## /m)
  const found = sections.find((each) => each.split(/[\s(]/, 1)[0] === title)
  return found === undefined ? null : found.slice(title.length)
}
