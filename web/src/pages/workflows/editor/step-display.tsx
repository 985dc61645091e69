import {
  IconDatabaseSearch,
  IconLayoutList,
  IconNotebook,
  IconPuzzle,
  IconSparkles,
  IconVector,
} from '@tabler/icons-react'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { kindOf } from '../draft/node-kinds.ts'
import type { Editing, Step } from './editing.ts'

const icons = {
  source: IconNotebook,
  partition: IconLayoutList,
  prompter: IconSparkles,
  chunk: IconPuzzle,
  embed: IconVector,
  destination: IconDatabaseSearch,
} satisfies Record<Step['kind'], unknown>

export function StepIcon({ kind }: { kind: Step['kind'] }) {
  const Icon = icons[kind]
  return <Icon size={20} stroke={1.5} aria-hidden="true" />
}

export function stepText({ kind, node }: Step, names: Editing['names']): { title: string; line: string } {
  if (!node) {
    return {
      title: texts.nodes[kind].name,
      line: names[kind as 'source' | 'destination'] ?? texts.editor.notChosen,
    }
  }
  const subtype = kindOf(node)
  return { title: node.name, line: texts.node.short[subtype] ?? subtype }
}
