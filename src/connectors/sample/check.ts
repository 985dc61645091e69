import type { CheckReport, CheckStep } from '../../report.ts'
import type { SampleFile } from './file.ts'

export function checkFile(file: SampleFile, keys: string[]): CheckReport {
  const { pages, spaces, people, groups } = file
  const missing = missingSpaces(file, keys)
  const read = spaces.filter(({ key }) => keys.length === 0 || keys.includes(key)).map(({ key }) => key)
  const steps: CheckStep[] = [
    { name: 'read the sample', status: 'ok', detail: `it has ${pages.length} pages` },
    missing
      ? { name: 'list spaces', status: 'failed', ...missing }
      : { name: 'list spaces', status: 'ok', detail: `these will be read: ${read.join(', ')}` },
    {
      name: 'read permissions',
      status: 'ok',
      detail: `of ${people.length} people and ${groups.length} groups`,
    },
  ]
  return { ok: !missing, reason: missing?.detail ?? null, steps }
}

/** What is wrong with the configured spaces, or null. */
export function missingSpaces(
  { spaces }: SampleFile,
  keys: string[],
): { detail: string; fix: string } | null {
  const known = spaces.map(({ key }) => key)
  const missing = keys.filter((key) => !known.includes(key))
  if (missing.length === 0) return null
  return { detail: `the sample has no space ${missing.join(', ')}`, fix: `Choose from ${known.join(', ')}` }
}
