import { type ChildProcess, execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { provideInstalled, provideServer } from './debian-packages.ts'
import type { Namespaces } from './namespaces.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const CACHE = join(root, 'node_modules/.cache/debian')
/** Documentation that Debian's slim image leaves out. */
const SLIM = ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
const MAX_OUTPUT = { maxBuffer: 64 * 1024 * 1024 }

type Config = {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  Labels: Record<string, string>
  Volumes: Record<string, object>
  StopSignal: string
  Healthcheck: { Test: string[] }
}

export type Image = {
  config: Config
  /** The root of its file system. */
  path: string
  /** Starts a command of the image as its user, on a read-only root and with `data` as /data. */
  start(
    namespaces: Namespaces,
    options: { command: string[]; data: string; env?: Record<string, string> },
  ): ChildProcess
  remove(): Promise<void>
}

/** Builds the last stage of ops/Containerfile on a base without any registry of images. */
export async function buildImage(): Promise<Image> {
  const [buildah, tini] = await Promise.all([
    provideInstalled('buildah', 'buildah'),
    provideServer('tini-static', 'tini'),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'millrace-image-'))
  const stores = [
    '--root',
    join(folder, 'store'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'vfs',
  ]
  const call = async (...args: string[]) => {
    const { stdout } = await run(buildah, [...stores, ...args], MAX_OUTPUT)
    return stdout.trim()
  }
  const build = (file: string, ...more: string[]) =>
    call('build', '--isolation', 'chroot', '--format', 'docker', '--file', file, ...more, folder)

  try {
    await run(process.execPath, [join(root, 'packages/image/build.ts'), '--keep-page'], MAX_OUTPUT)
    const built = join(folder, 'build/src/dist')
    await mkdir(built, { recursive: true })
    await rename(join(root, 'dist/image'), join(built, 'image')).catch(async () => {
      await run('cp', ['-a', join(root, 'dist/image'), join(built, 'image')])
    })
    await run('cp', [tini, join(built, 'image/bin/tini')])

    await run('cp', [await baseFiles(), join(folder, 'base.tar')])
    await writeFile(join(folder, 'Base'), 'FROM scratch\nADD base.tar /\n')
    await build(join(folder, 'Base'), '--tag', 'localhost/base')
    const stages = await readFile(join(root, 'ops/Containerfile'), 'utf8')
    await writeFile(join(folder, 'Service'), `ARG BASE\n${stages.slice(stages.lastIndexOf('FROM '))}`)
    const context = ['--build-context', `build=${join(folder, 'build')}`]
    await build(
      join(folder, 'Service'),
      '--build-arg',
      'BASE=localhost/base',
      ...context,
      '--tag',
      'localhost/millrace',
    )
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }

  const container = await call('from', '--pull-never', 'localhost/millrace')
  const path = await call('mount', container)
  const { Docker } = JSON.parse(await call('inspect', '--type', 'image', 'localhost/millrace'))
  const config: Config = Docker.config
  return {
    config,
    path,
    start(namespaces, { command, data, env = {} }) {
      const variables = [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]
      const program = ['env', '-i', ...variables, ...config.Entrypoint, ...command]
      const inside = ['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', RUN, 'run']
      return namespaces.start(namespaces.office.name, [...inside, path, data, config.User, ...program])
    },
    async remove() {
      await call('umount', container)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** As a container runtime does, with the tools of this machine. */
const RUN = `set -e
root=$1 data=$2 user=$3; shift 3
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"`

/** Debian's smallest installation as a tar file, made once per machine. */
async function baseFiles(): Promise<string> {
  const path = join(CACHE, 'base-bookworm.tar')
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return path
  const mmdebstrap = await provideInstalled('mmdebstrap', 'mmdebstrap')
  await mkdir(CACHE, { recursive: true })
  const partial = join(CACHE, `.base-${process.pid}.tar`)
  await run(mmdebstrap, ['--variant=minbase', ...SLIM, 'bookworm', partial], MAX_OUTPUT)
  await rename(partial, path)
  return path
}
