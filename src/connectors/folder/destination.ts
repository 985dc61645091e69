import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { AppError } from '../../errors.ts'
import type { CheckReport, CheckStep } from '../../report.ts'
import type { DataSource, Destination, Rejection, StoredElement } from '../destination.ts'
import { scopeKeyOf } from '../kit/stored-element.ts'
import type { WithCapabilities } from '../type.ts'
import type { FolderConfig } from './config.ts'
import {
  type ElementLine,
  fileError,
  fileOf,
  readElementLines,
  removePartial,
  replaceLines,
} from './files.ts'

/** Identifies the folder, also after it was emptied. */
const MARKER = '.millrace'

/** One JSON Lines file per document, one element per line. Fences are ignored: the state file admits one process. */
export function openFolder({ path }: FolderConfig): WithCapabilities<Destination, 'inspect'> {
  const folder = resolve(path)
  return {
    check: () => checkFolder(folder),
    prepare: async () => ({ identity: await identify(folder) }),
    async write(items, _fence, signal) {
      const documents = Map.groupBy(items, ({ recordId }) => recordId)
      for (const [recordId, written] of documents) {
        signal.throwIfAborted()
        const file = fileOf(folder, recordId)
        const ids = new Set(written.map(({ element }) => element.element_id))
        const others = (await readElementLines(file)).filter((line) => !ids.has(line.element_id))
        const lines = written.map(({ element, dataSource }): ElementLine => {
          const metadata = { ...element.metadata, data_source: dataSource }
          return { record_id: recordId, ...element, metadata }
        })
        await replaceLines(file, [...lines, ...others])
      }
      return []
    },
    async updateAccess(items, _fence, signal) {
      const rejections: Rejection[] = []
      for (const { recordId, elementIds, dataSource } of items) {
        signal.throwIfAborted()
        const file = fileOf(folder, recordId)
        const lines = await readElementLines(file)
        const held = new Set(lines.map((line) => line.element_id))
        const missing = elementIds.filter((id) => !held.has(id))
        rejections.push(...missing.map((elementId) => missingElement(recordId, elementId, file)))
        if (missing.length > 0) continue
        const replaced = lines.map((line) => ({
          ...line,
          metadata: { ...line.metadata, data_source: dataSource },
        }))
        await replaceLines(file, replaced)
      }
      return rejections
    },
    async remove(elements, _fence, signal) {
      for (const { recordId, elementIds } of elements) {
        signal.throwIfAborted()
        const file = fileOf(folder, recordId)
        const removedIds = new Set(elementIds)
        const lines = await readElementLines(file)
        const remaining = lines.filter((line) => !removedIds.has(line.element_id))
        if (remaining.length < lines.length) await replaceLines(file, remaining)
        if (remaining.length === 0) await removePartial(file)
      }
    },
    inspect: {
      async stored(elements, signal) {
        const found: StoredElement[] = []
        for (const { recordId, elementIds } of elements) {
          signal.throwIfAborted()
          const wanted = new Set(elementIds)
          for (const line of await readElementLines(fileOf(folder, recordId))) {
            if (!wanted.has(line.element_id)) continue
            const dataSource = line.metadata.data_source as DataSource
            found.push({ recordId, elementId: line.element_id, fence: null, dataSource })
          }
        }
        return found
      },
      async *inventory(signal) {
        for (const name of (await readdir(folder)).filter((each) => each.endsWith('.jsonl'))) {
          signal.throwIfAborted()
          yield (await readElementLines(join(folder, name))).map(({ record_id, element_id, metadata }) => {
            const scopeKey = scopeKeyOf(metadata.data_source as DataSource)
            return { recordId: record_id, elementId: element_id, scopeKey }
          })
        }
      },
    },
    close: async () => {},
  }
}

async function identify(folder: string): Promise<string> {
  const marker = join(folder, MARKER)
  try {
    await mkdir(folder, { recursive: true })
    const known = await readFile(marker, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    // Empty if the process was killed before it wrote the id.
    if (known.trim() !== '') return known.trim()
    const created = randomUUID()
    await writeFile(marker, `${created}\n`)
    return created
  } catch (error) {
    throw fileError('preparing', folder, error)
  }
}

async function checkFolder(folder: string): Promise<CheckReport> {
  const step = await folderStep(folder)
  return { ok: step.status === 'ok', reason: step.status === 'ok' ? null : step.detail, steps: [step] }
}

/** Creates nothing, so the folder may not exist yet. */
async function folderStep(folder: string): Promise<CheckStep> {
  const name = 'folder'
  for (let path = folder; ; path = dirname(path)) {
    try {
      if (!(await stat(path)).isDirectory())
        return { name, status: 'failed', detail: `${path} is a file`, fix: 'Choose another folder' }
      await access(path, constants.W_OK)
      const detail = path === folder ? `${folder} can be written` : `${folder} will be created`
      return { name, status: 'ok', detail }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && path !== dirname(path)) continue
      const { message, fix } = fileError('checking', path, error)
      return { name, status: 'failed', detail: message, ...(fix ? { fix } : {}) }
    }
  }
}

function missingElement(recordId: string, elementId: string, file: string): Rejection {
  const what = `${file} does not hold element ${elementId}: document_missing`
  return { recordId, elementId, kind: 'missing', error: new AppError('destination_rejected', what) }
}
