import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type LocalModel, verifyModel } from '../../src/pipeline/embed/model.ts'

const run = promisify(execFile)
const VERSION = '1.0.0-beta5'

export type Weights = { artifact: string; file: string; sha256: LocalModel['sha256'] }

/** Fetched from Maven once into the cache, and checked against the pinned hashes. */
export async function fetchWeights({ artifact, file, sha256 }: Weights): Promise<LocalModel> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const name = `embeddings-${artifact}-${VERSION}`
  const home = join(cache, name)
  if (!(await exists(home)))
    await unpack(`dev.langchain4j:langchain4j-embeddings-${artifact}`, { cache, home })
  const model: LocalModel = {
    name: artifact,
    dims: 384,
    maxTokens: 256,
    floor: 0,
    modelPath: join(home, `${file}.onnx`),
    tokenizerPath: join(home, `${file}-tokenizer.json`),
    sha256,
  }
  await verifyModel(model)
  return model
}

async function unpack(artifact: string, { cache, home }: { cache: string; home: string }): Promise<void> {
  await mkdir(cache, { recursive: true })
  const unpacking = await mkdtemp(join(cache, '.building-'))
  try {
    const args = [
      '-B',
      '-q',
      'dependency:unpack',
      `-Dartifact=${artifact}:${VERSION}`,
      `-DoutputDirectory=${unpacking}`,
      '-Dmdep.unpack.includes=*.onnx,*.json',
    ]
    // Maven leaves marker files in its folder and skips artifacts that have one.
    await run('mvn', args, { cwd: unpacking })
    await rename(unpacking, home).catch(async (error) => {
      if (!(await exists(home))) throw error
    })
  } finally {
    await rm(unpacking, { recursive: true, force: true })
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
