import { Badge, Group, Text } from '@mantine/core'
import { memo, type ReactNode } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { HtmlTable } from '../../../components/html-table.tsx'
import { documentTexts } from '../../../texts/documents.ts'
import type { ContentElement } from '../types.ts'
import classes from './content.module.css'
import type { ItemProps } from './use-linked.ts'

const texts = documentTexts.content

type Props = {
  elements: ContentElement[]
  item: (index: number) => ItemProps
  action: (index: number) => ReactNode
}

/** What the workflow writes to the index. */
export function Elements({ elements, item, action }: Props) {
  return elements.map((element, index) => {
    const { 'data-active': isActive, ...props } = item(index)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: equal texts share an id; the list is fixed.
      <div key={index} className={classes.element} data-active={isActive} {...props}>
        <Group justify="space-between" gap="xs" mih={28} wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Badge variant="default" tt="none" fw={500} radius="sm">
              {element.type}
            </Badge>
            <Text span size="xs" c="dimmed" className="figures">
              {texts.position(index + 1, elements.length)}
            </Text>
          </Group>
          <Group gap={4} wrap="nowrap">
            <Text span size="xs" c="dimmed" className="figures">
              {texts.characters(element.text.length)}
            </Text>
            {isActive ? <CopyButton text={element.element_id} what={texts.elementId} /> : null}
          </Group>
        </Group>
        <ElementText element={element} />
        {action(index)}
      </div>
    )
  })
}

const ElementText = memo(function ElementText({
  element: { type, text, html },
}: {
  element: ContentElement
}) {
  if (html && (type === 'Table' || type === 'TableChunk'))
    return <HtmlTable html={html} label={texts.table} fallback={text} />
  return (
    <p dir="auto" className={classes.text}>
      {text || texts.noText}
    </p>
  )
})
