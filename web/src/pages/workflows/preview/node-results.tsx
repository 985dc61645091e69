import { Code, Tabs, Text } from '@mantine/core'
import { ElementList } from '../../../components/element-list.tsx'
import { workflowsTexts } from '../../../texts/workflows.ts'
import classes from './preview-result.module.css'
import type { PreviewNode } from './types.ts'

const texts = workflowsTexts.preview

/** The output of each node, in tabs. */
export function NodeResults({ nodes }: { nodes: PreviewNode[] }) {
  return (
    <Tabs defaultValue="0" keepMounted={false}>
      <Tabs.List mb="sm">
        {nodes.map(({ node }, index) => (
          <Tabs.Tab key={node.type + node.name} value={String(index)}>
            {texts.after(node.name)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {nodes.map((result, index) => (
        <Tabs.Panel key={result.node.type + result.node.name} value={String(index)}>
          {result.dims === undefined ? <Elements result={result} /> : <Vectors result={result} />}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function Elements({ result: { node, elements, total } }: { result: PreviewNode }) {
  const what = node.type === 'chunk' ? texts.chunks : texts.elements
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs" className="figures">
        {texts.counts(elements.length, total, what)}
      </Text>
      <ElementList label={texts.after(node.name)} elements={elements} />
    </>
  )
}

function Vectors({ result: { dims = 0, sample = [] } }: { result: PreviewNode }) {
  return (
    <>
      <Text size="sm" mb="xs">
        {texts.vectors(dims)}
      </Text>
      <Code
        block
        className={classes.text}
      >{`[${sample.map((number) => number.toFixed(4)).join(', ')}, …]`}</Code>
    </>
  )
}
