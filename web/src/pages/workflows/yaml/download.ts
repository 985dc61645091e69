import type { Draft } from '../types.ts'
import type { Connectors } from './yaml.ts'

/** Hands the workflow to the browser as a file. What writes YAML is loaded when it is wanted. */
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

/** A name that every file system takes. */
export function fileNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain || 'workflow'
}
