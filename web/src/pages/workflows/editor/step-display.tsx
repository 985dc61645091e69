import { IconLayoutList, IconPuzzle, IconSparkles, IconVector } from '@tabler/icons-react'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { TypeIcon } from '../../connectors/type-icon.tsx'
import { kindOf } from '../draft/node-kinds.ts'
import type { NodeType } from '../types.ts'
import type { Editing, Step } from './editing.ts'

const icons = {
  partition: IconLayoutList,
  prompter: IconSparkles,
  chunk: IconPuzzle,
  embed: IconVector,
} satisfies Record<NodeType, unknown>

const SIZE = 20

export function NodeIcon({ type }: { type: NodeType }) {
  const Icon = icons[type]
  return <Icon size={SIZE} stroke={1.5} aria-hidden="true" />
}

export function StepIcon({ step, connectors }: { step: Step; connectors: Editing['connectors'] }) {
  if (step.node) return <NodeIcon type={step.kind} />
  return <TypeIcon type={connectors[step.kind]?.type} size={SIZE} />
}

export function stepText(step: Step, connectors: Editing['connectors']): { title: string; line: string } {
  if (!step.node) {
    const { name, type } = connectors[step.kind] ?? {}
    const line = name === undefined ? texts.editor.notChosen : type ? `${name} · ${type.title}` : name
    return { title: texts.nodes[step.kind].name, line }
  }
  const subtype = kindOf(step.node)
  return { title: step.node.name, line: texts.node.short[subtype] ?? subtype }
}
