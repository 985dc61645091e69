import type { Draft } from '../types.ts'
import type { Connectors } from './yaml.ts'

/** Downloads the workflow; the YAML writer loads on demand. */
export async function downloadYaml(draft: Draft, connectors: Connectors): Promise<void> {
  const { toYaml } = await import('./yaml.ts')
  saveFile(`${fileNameOf(draft.name)}.yaml`, toYaml(draft, connectors))
}

export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** A name that every file system accepts. */
export function fileNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain || 'workflow'
}
