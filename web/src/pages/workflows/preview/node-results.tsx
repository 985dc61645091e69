import { Badge, Code, Group, Tabs, Text } from '@mantine/core'
import { useState } from 'react'
import { HtmlTable } from '../../../components/html-table.tsx'
import { count } from '../../../texts/times.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import classes from './preview-result.module.css'
import type { PreviewElement, PreviewNode } from './types.ts'

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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
      <ol className={classes.elements} tabIndex={0} aria-label={texts.after(node.name)}>
        {elements.map((element, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal texts share an id; the list is fixed.
          <li key={index} className={classes.element}>
            <Group justify="space-between" gap="xs" mb={4}>
              <Badge variant="default" tt="none" fw={500} radius="sm">
                {element.type}
              </Badge>
              <Text size="xs" c="dimmed" className="figures">
                {texts.characters(count(element.text.length))}
              </Text>
            </Group>
            <ElementText element={element} />
            <Json element={element} />
          </li>
        ))}
      </ol>
    </>
  )
}

function ElementText({ element: { type, text, metadata } }: { element: PreviewElement }) {
  const { text_as_html: html } = metadata
  if (typeof html === 'string' && (type === 'Table' || type === 'TableChunk'))
    return <HtmlTable html={html} label={texts.table} fallback={text} />
  return (
    <Text size="sm" dir="auto" className={classes.text}>
      {text || texts.noText}
    </Text>
  )
}

/** Rendered only when opened: there may be 200. */
function Json({ element }: { element: PreviewElement }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.summary}>{texts.asJson}</summary>
      {open ? <pre className={classes.json}>{JSON.stringify(element, null, 2)}</pre> : null}
    </details>
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
