import { saveFile } from '../../../service/save-file.ts'
import type { Draft } from '../types.ts'
import type { Connectors } from './yaml.ts'

/** Downloads the workflow; the YAML writer loads on demand. */
export async function downloadYaml(draft: Draft, connectors: Connectors): Promise<void> {
  const { toYaml } = await import('./yaml.ts')
  saveYaml(draft.name, toYaml(draft, connectors))
}

export function saveYaml(name: string, text: string): void {
  saveFile(new Blob([text], { type: 'application/yaml' }), `${fileNameOf(name)}.yaml`)
}

/** A name that every file system accepts. */
function fileNameOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return plain || 'workflow'
}
