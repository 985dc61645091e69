import { Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { memo, type ReactNode, useState } from 'react'
import { elementTexts as texts } from '../texts/elements.ts'
import { count } from '../texts/times.ts'
import classes from './element-list.module.css'
import { HtmlTable } from './html-table.tsx'

/** `html` is that of a table. */
export type ShownElement = { type: string; text: string; html?: string | null | undefined }
type StoredElement = { type: string; text: string; metadata: Record<string, unknown> }

const PAGE_SIZE = 50
const views = ['text', 'json'] as const

type ListProps = { label: string; elements: readonly StoredElement[] }

/** Elements as text or as JSON. */
export function ElementList({ label, elements }: ListProps) {
  const [view, setView] = useState<(typeof views)[number]>('text')
  const [shown, setShown] = useState(PAGE_SIZE)
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label={texts.view}
        data={views.map((value) => ({ value, label: texts.views[value] }))}
        value={view}
        onChange={setView}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
      <ol className={classes.list} aria-label={label} tabIndex={0}>
        {elements.slice(0, shown).map((element, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: equal texts share an id; the list is fixed.
          <li key={index} className={classes.element}>
            <ElementHead element={element} aside={placeOf(element)} />
            {view === 'json' ? (
              <pre className={classes.json}>{JSON.stringify(element, truncated, 2)}</pre>
            ) : (
              <ElementText element={{ ...element, html: textIn(element.metadata, 'text_as_html') }} />
            )}
          </li>
        ))}
      </ol>
      {elements.length > shown ? (
        <Button variant="default" w="fit-content" onClick={() => setShown(shown + PAGE_SIZE)}>
          {texts.more(Math.min(PAGE_SIZE, elements.length - shown))}
        </Button>
      ) : null}
    </Stack>
  )
}

/** The path in its archive, and the page. */
function placeOf({ metadata }: StoredElement): string {
  const { page_number: page } = metadata
  const parts = [textIn(metadata, 'path_in_archive'), typeof page === 'number' ? texts.page(page) : null]
  return parts.filter(Boolean).join(', ')
}

function textIn(metadata: Record<string, unknown>, name: string): string | null {
  const value = metadata[name]
  return typeof value === 'string' ? value : null
}

// Base64 pictures would fill the screen.
function truncated(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > 5000 ? `${value.slice(0, 500)}…` : value
}

/** The type, `aside`, and the length; `end` follows it. */
export function ElementHead({
  element: { type, text },
  aside,
  end,
}: {
  element: ShownElement
  aside: ReactNode
  end?: ReactNode
}) {
  return (
    <Group justify="space-between" gap="xs" mih={28} wrap="nowrap">
      <Group gap="xs">
        <Badge variant="default" tt="none" fw={500} radius="sm">
          {type}
        </Badge>
        <Text span size="xs" c="dimmed" className="figures">
          {aside}
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <Text span size="xs" c="dimmed" className="figures">
          {texts.characters(count(text.length))}
        </Text>
        {end}
      </Group>
    </Group>
  )
}

export const ElementText = memo(function ElementText({
  element: { type, text, html },
}: {
  element: ShownElement
}) {
  if (html && (type === 'Table' || type === 'TableChunk'))
    return <HtmlTable html={html} label={texts.table} fallback={text} />
  return (
    <p dir="auto" className={classes.text}>
      {text || texts.noText}
    </p>
  )
})
