import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { promisify } from 'node:util'

const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root installs' }

/** On a machine whose PATH holds only what a test puts there. */
describe('the browser of the journeys', () => {
  let bin: string
  beforeEach(async () => {
    bin = await mkdtemp(join(tmpdir(), 'millrace-chromium-'))
  })
  afterEach(() => rm(bin, { recursive: true }))

  async function script(name: string, text: string): Promise<void> {
    await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
    await chmod(join(bin, name), 0o755)
  }

  async function provide(env: Record<string, string> = {}): Promise<string> {
    const module = new URL('./world/chromium.ts', import.meta.url)
    const code = `import { provideChromium } from ${JSON.stringify(module.href)}
      console.log(await provideChromium(() => {}).catch(({ message }) => 'failed: ' + message))`
    const args = ['--input-type=module', '-e', code]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: bin, ...env } })
    return stdout.trim()
  }

  /** A fake apt-get that installs this browser script once lists were fetched, and records its calls. */
  const aptGet = (browser: string) => `echo "$@" >> ${bin}/asked
    case "$*" in
      *update) : > ${bin}/lists ;;
      *) test -e ${bin}/lists || { echo "E: Unable to locate package chromium" >&2; exit 100; }
         printf '%s\\n' '#!/bin/sh' '${browser}' > ${bin}/chromium; /bin/chmod 755 ${bin}/chromium ;;
    esac`

  test('it uses an installed browser', async () => {
    await script('chromium', 'exit 0')
    assert.equal(await provide(), join(bin, 'chromium'))
  })

  test('it fetches package lists if there are none, then installs', asRoot, async () => {
    await script('apt-get', aptGet('echo Chromium 1'))
    assert.equal(await provide(), join(bin, 'chromium'))
    const asked = (await readFile(join(bin, 'asked'), 'utf8')).trim().split('\n')
    assert.deepEqual(
      asked.map((line) => /install|update/.exec(line)?.[0]),
      ['install', 'update', 'install'],
    )
    assert.match(asked[0] ?? '', /DPkg::Lock::Timeout=/)
  })

  test('it waits while another process fetches lists', asRoot, async () => {
    await script(
      'apt-get',
      `case "$*" in *update)
        if ! test -e ${bin}/tried; then : > ${bin}/tried; echo "E: Could not get lock /var/lib/apt/lists/lock" >&2; exit 100; fi
      esac
      ${aptGet('echo Chromium 1')}`,
    )
    assert.equal(await provide(), join(bin, 'chromium'))
  })

  test('it fails if the installed browser does not run', asRoot, async () => {
    await script('apt-get', aptGet('echo "install it as a snap" >&2; exit 1'))
    assert.match(await provide(), /^failed: .*installing it by apt-get failed \(install it as a snap\)$/)
  })

  test('it names the package if it cannot install it', asRoot, async () => {
    assert.match(await provide(), /^failed: .*apt-get install chromium.*\(Error: spawn apt-get ENOENT\)$/)
    assert.match(
      await provide({ MILLRACE_CHROMIUM: join(bin, 'none') }),
      /^failed: MILLRACE_CHROMIUM names .*which cannot be run; install Chromium/,
    )
  })
})
