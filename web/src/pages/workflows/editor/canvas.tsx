import '@xyflow/react/dist/base.css'
import { useComputedColorScheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  useReactFlow,
  useStore,
} from '@xyflow/react'
import { useEffect, useMemo } from 'react'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { AddStep } from './add-step.tsx'
import classes from './canvas.module.css'
import { type Step, stepsOf, useEditing } from './editing.ts'
import { StepCard } from './step-card.tsx'
import { stepText } from './step-display.tsx'

const WIDTH = 280
const HEIGHT = 64
const GAP = 48
const MARGIN = 24

type StepNode = Node<{ step: Step; index: number }, 'step'>
const nodeTypes = { step: DrawnStep }
const fit = { padding: 0, minZoom: 1, maxZoom: 1 }

/** Places are automatic and there are no edges to draw. */
export function Canvas() {
  const { draft } = useEditing()
  const colorMode = useComputedColorScheme('light')
  // A finger scrolls the page; a mouse moves the drawing.
  const movable = useMediaQuery('(pointer: fine) and (min-width: 48em)') ?? false
  const { nodes, edges } = useMemo(() => drawn(stepsOf(draft)), [draft])
  const height = nodes.length * (HEIGHT + GAP) - GAP + 2 * MARGIN
  return (
    <section className={classes.canvas} style={{ height }} aria-label={workflowsTexts.editor.canvasLabel}>
      <ReactFlow
        // Remounts on a new or removed step, to fit all into view.
        key={nodes.map(({ id }) => id).join()}
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        colorMode={colorMode}
        fitView
        fitViewOptions={fit}
        minZoom={0.5}
        maxZoom={1.5}
        panOnDrag={movable}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        // The library's keys would interfere with our buttons.
        disableKeyboardA11y
      >
        <KeepInView />
        {movable ? <Controls showInteractive={false} position="bottom-left" /> : null}
      </ReactFlow>
    </section>
  )
}

/** Fits everything again after a resize. */
function KeepInView() {
  const { fitView } = useReactFlow()
  const width = useStore((state) => state.width)
  useEffect(() => {
    if (width > 0) void fitView(fit)
  }, [width, fitView])
  return null
}

function DrawnStep({ data: { step, index } }: NodeProps<StepNode>) {
  const { connectors } = useEditing()
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} className={classes.port} />
      <StepCard step={step} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.port} />
      {step.key === 'destination' ? null : (
        <div className={classes.between}>
          <AddStep index={index} after={stepText(step, connectors).title} />
        </div>
      )}
    </>
  )
}

function drawn(steps: Step[]): { nodes: StepNode[]; edges: Edge[] } {
  const nodes = steps.map(
    (step, index): StepNode => ({
      id: step.key,
      type: 'step',
      position: { x: 0, y: index * (HEIGHT + GAP) },
      width: WIDTH,
      height: HEIGHT,
      data: { step, index },
    }),
  )
  const edges = steps.slice(1).map((step, index): Edge => {
    const source = steps[index]?.key ?? ''
    return { id: `${source}-${step.key}`, source, target: step.key, type: 'straight' }
  })
  return { nodes, edges }
}
