import { IconLayoutList, IconPuzzle, IconSparkles, IconVector } from '@tabler/icons-react'
import { sandboxTexts } from '../../../texts/sandbox.ts'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { TypeIcon } from '../../connectors/type-icon.tsx'
import { subtypeOf } from '../draft/node-subtypes.ts'
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

export function stepText(step: Step, connectors: Editing['connectors']): { title: string; subtitle: string } {
  if (!step.node) {
    const { name, type, isSandbox } = connectors[step.kind] ?? {}
    const kind = isSandbox ? sandboxTexts.badge : type?.title
    const subtitle = name === undefined ? texts.editor.notChosen : kind ? `${name} · ${kind}` : name
    return { title: texts.nodes[step.kind].name, subtitle }
  }
  const subtype = subtypeOf(step.node)
  return { title: step.node.name, subtitle: texts.node.short[subtype] ?? subtype }
}
