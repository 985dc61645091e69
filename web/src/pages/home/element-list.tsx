import { Button, CloseButton, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Panel } from '../../components/panel.tsx'
import { homeTexts } from '../../texts/home.ts'
import classes from './home.module.css'
import type { FileElements } from './types.ts'

const texts = homeTexts.elements
const PAGE_SIZE = 50

type Props = { name: string; result: FileElements; onClose: () => void }

/** The elements of a file, always shown as text. */
export function ElementList({ name, result: { filetype, elements }, onClose }: Props) {
  const [shown, setShown] = useState(PAGE_SIZE)
  const top = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file starts at the top.
  useEffect(() => {
    setShown(PAGE_SIZE)
    top.current?.focus()
  }, [elements])
  return (
    <div ref={top} tabIndex={-1} className={classes.result}>
      <Panel
        title={texts.title(name)}
        description={texts.summary(elements.length, filetype)}
        actions={<CloseButton aria-label={texts.close} onClick={onClose} />}
      >
        {elements.length === 0 ? <Text c="dimmed">{texts.none}</Text> : null}
        <ol className={classes.elements} aria-label={texts.list}>
          {elements.slice(0, shown).map((element, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: equal elements share an id; their order stays.
            <ElementItem key={index} element={element} />
          ))}
        </ol>
        {elements.length > shown ? (
          <Button variant="default" mt="md" onClick={() => setShown(shown + PAGE_SIZE)}>
            {texts.more(Math.min(PAGE_SIZE, elements.length - shown))}
          </Button>
        ) : null}
      </Panel>
    </div>
  )
}

function ElementItem({ element: { type, text, metadata } }: { element: FileElements['elements'][number] }) {
  const { page_number: page, path_in_archive: path } = metadata
  return (
    <li className={classes.element}>
      <div className={classes.kind}>
        <span className={classes.type}>{type}</span>
        {typeof path === 'string' ? (
          <Text span size="sm" c="dimmed">
            {path}
          </Text>
        ) : null}
        {typeof page === 'number' ? (
          <Text span size="sm" c="dimmed">
            {texts.page(page)}
          </Text>
        ) : null}
      </div>
      <Text className={classes.words} c={text ? undefined : 'dimmed'}>
        {text || texts.noText}
      </Text>
      <details className={classes.metadata}>
        <summary>{texts.metadata}</summary>
        <pre>{JSON.stringify(metadata, truncated, 2)}</pre>
      </details>
    </li>
  )
}

// Base64 pictures would fill the screen.
function truncated(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.length > 500 ? `${value.slice(0, 500)}…` : value
}
