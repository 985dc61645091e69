import { CloseButton, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { ElementList } from '../../components/element-list.tsx'
import { Panel } from '../../components/panel.tsx'
import { homeTexts } from '../../texts/home.ts'
import classes from './home.module.css'
import type { FileElements } from './types.ts'

const texts = homeTexts.elements

type Props = { name: string; result: FileElements; onClose: () => void }

/** The elements of a file. */
export function FileResult({ name, result: { filetype, elements }, onClose }: Props) {
  const top = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another file starts at the top.
  useEffect(() => {
    top.current?.focus()
  }, [elements])
  return (
    <div ref={top} tabIndex={-1} className={classes.result}>
      <Panel
        title={texts.title(name)}
        description={texts.summary(elements.length, filetype)}
        actions={<CloseButton aria-label={texts.close} onClick={onClose} />}
      >
        {elements.length === 0 ? (
          <Text c="dimmed">{texts.none}</Text>
        ) : (
          <ElementList label={texts.list} elements={elements} />
        )}
      </Panel>
    </div>
  )
}
