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
import { stepText } from './step-looks.tsx'

const WIDTH = 280
const HEIGHT = 64
const GAP = 48
const MARGIN = 24

type StepNode = Node<{ step: Step; index: number }, 'step'>
const nodeTypes = { step: DrawnStep }
const fit = { padding: 0, minZoom: 1, maxZoom: 1 }

/** The workflow as a drawing. Steps have their places by themselves; there is no edge to draw that would not work. */
export function Canvas() {
  const { draft } = useEditing()
  const colorMode = useComputedColorScheme('light')
  // A finger that moves over it scrolls the page; with a mouse the drawing can be moved.
  const movable = useMediaQuery('(pointer: fine) and (min-width: 48em)') ?? false
  const { nodes, edges } = useMemo(() => drawn(stepsOf(draft)), [draft])
  const height = nodes.length * (HEIGHT + GAP) - GAP + 2 * MARGIN
  return (
    <section className={classes.canvas} style={{ height }} aria-label={workflowsTexts.editor.canvasLabel}>
      <ReactFlow
        // Drawn afresh when a step comes or goes, so that all of it is in view again.
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
        // The steps are buttons of our own; what the library does by key would be in their way.
        disableKeyboardA11y
      >
        <KeepInView />
        {movable ? <Controls showInteractive={false} position="bottom-left" /> : null}
      </ReactFlow>
    </section>
  )
}

/** A window that was made smaller, or a phone that was turned: all of it stays in view. */
function KeepInView() {
  const { fitView } = useReactFlow()
  const width = useStore((state) => state.width)
  useEffect(() => {
    if (width > 0) void fitView(fit)
  }, [width, fitView])
  return null
}

function DrawnStep({ data: { step, index } }: NodeProps<StepNode>) {
  const { names } = useEditing()
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} className={classes.port} />
      <StepCard step={step} />
      <Handle type="source" position={Position.Bottom} isConnectable={false} className={classes.port} />
      {step.key === 'destination' ? null : (
        <div className={classes.between}>
          <AddStep index={index} after={stepText(step, names).title} />
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
