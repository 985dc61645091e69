import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readProject, root } from '../build/package-folder.ts'
import { contentsOf } from './contents.ts'
import { licenceFile, licenceProblems } from './licences.ts'
import { sbomOf } from './sbom.ts'
import { readLockfile, shippedPackages, shippedRoots } from './shipped.ts'

/** `npm run sbom` and `npm run licences`: files in dist/release about what a release contains. */
const what = process.argv[2]
const out = join(root, 'dist/release')
const lockfile = readLockfile()
const shipped = shippedPackages(lockfile, shippedRoots(lockfile))
mkdirSync(out, { recursive: true })

if (what === 'sbom') {
  const { version, license } = readProject()
  const contents = contentsOf(shipped, { isFetching: true })
  const bill = sbomOf({ name: 'millrace', version, license }, shipped, contents)
  write('sbom.cdx.json', `${JSON.stringify(bill, null, 2)}\n`)
} else {
  const problems = licenceProblems(shipped)
  for (const line of problems) console.error(line)
  if (problems.length > 0) process.exitCode = 1
  else write('THIRD-PARTY-LICENCES.txt', licenceFile(shipped, root))
}

function write(name: string, text: string): void {
  writeFileSync(join(out, name), text)
  console.log(`${join('dist/release', name)}: ${shipped.length} packages`)
}
