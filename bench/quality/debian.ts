import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'

const run = promisify(execFile)

/** Files of one Debian package, none of them made for this bench. */
type PackageFiles = {
  package: string
  version: string
  /** Absolute paths; `of` names the file of the same text in a format with more structure. */
  files: { path: string; of?: string }[]
}

export type DebianFile = { package: string; version: string; path: string; source: string; of?: string }

/** The listed files, from packages that apt downloads once into the cache. */
export async function debianFiles(): Promise<DebianFile[]> {
  const json = await readFile(join(import.meta.dirname, 'debian.json'), 'utf8')
  const found: DebianFile[] = []
  for (const { package: name, version, files } of JSON.parse(json) as PackageFiles[]) {
    const root = await unpacked(name, version)
    for (const { path, of } of files) {
      const file = await plainCopy(root, path)
      const same = of === undefined ? {} : { of: await plainCopy(root, of) }
      found.push({ package: name, version, path: file, source: path, ...same })
    }
  }
  return found
}

async function unpacked(name: string, version: string): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'debian')
  const root = join(cache, `${name}_${version.replaceAll(':', '_')}`)
  if (await stat(root).catch(() => null)) return root
  console.log(`downloading ${name} ${version} by apt-get`)
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'unpacking-'))
  // apt's own user cannot write to the folder.
  await run('apt-get', ['-o', 'APT::Sandbox::User=root', 'download', `${name}=${version}`], { cwd: folder })
  const [archive = ''] = await readdir(folder)
  await run('dpkg-deb', ['--extract', join(folder, archive), folder])
  await rm(join(folder, archive))
  await rename(folder, root)
  return root
}

/** Packages compress long documents. */
async function plainCopy(root: string, path: string): Promise<string> {
  const packed = join(root, path)
  if (!packed.endsWith('.gz')) return packed
  const plain = packed.slice(0, -'.gz'.length)
  await writeFile(plain, gunzipSync(await readFile(packed)))
  return plain
}

/** A file as LibreOffice converts it, in an empty folder. */
export async function convert(
  { path, folder }: { path: string; folder: string },
  format: string,
): Promise<string> {
  const input = join(folder, `input${extname(path)}`)
  await copyFile(path, input)
  const profile = `-env:UserInstallation=file://${join(tmpdir(), 'millrace-soffice')}`
  await run('soffice', [profile, '--headless', '--convert-to', format, '--outdir', folder, input], {
    timeout: 300_000,
  })
  return join(folder, `input.${format.split(':')[0]}`)
}

export async function pdfText(path: string): Promise<string> {
  const { stdout } = await run('pdftotext', ['-enc', 'UTF-8', path, '-'], { maxBuffer: 1e8 })
  return stdout
}

export async function toolVersions(): Promise<string[]> {
  const office = await run('soffice', ['--version'])
  const pdf = await run('pdftotext', ['-v'])
  const [, officeVersion] = /LibreOffice (\S+)/.exec(office.stdout) ?? []
  const [, pdfVersion] = /version (\S+)/.exec(pdf.stderr) ?? []
  return [`LibreOffice ${officeVersion}`, `pdftotext ${pdfVersion}`]
}
