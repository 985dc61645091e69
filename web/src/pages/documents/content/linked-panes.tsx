import { Button, Tabs, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { documentTexts } from '../../../texts/documents.ts'
import type { DocumentContent } from '../types.ts'
import { Blocks } from './blocks.tsx'
import classes from './content.module.css'
import { Elements } from './elements.tsx'
import { otherSide, type Position, type Side } from './links.ts'
import { type Linked, useLinked } from './use-linked.ts'

const texts = documentTexts.content
const sides: readonly Side[] = ['blocks', 'elements']
const titles: Record<Side, string> = { blocks: texts.document, elements: texts.elements }
const actions: Record<Side, string> = { blocks: texts.showElement, elements: texts.showBlock }

/** Document and elements, in columns or on a phone in tabs. */
export function LinkedPanes({ content }: { content: DocumentContent }) {
  const linked = useLinked(content)
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
  return isNarrow ? (
    <TabbedPanes content={content} linked={linked} />
  ) : (
    <>
      <Text size="sm" c="dimmed">
        {texts.hint}
      </Text>
      <div className={classes.columns}>
        {sides.map((side) => (
          <Column key={side} side={side} content={content} linked={linked} />
        ))}
      </div>
    </>
  )
}

type PanesProps = { content: DocumentContent; linked: Linked }

function TabbedPanes({ content, linked }: PanesProps) {
  const [side, setSide] = useState<Side>('blocks')
  const target = useRef<Position>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the other tab is visible.
  useEffect(() => {
    if (target.current) linked.focus(target.current)
    target.current = undefined
  }, [side])
  /** The button of the focused item opens its counterpart. */
  const action = (from: Side) => (index: number) => {
    const to = linked.links[from][index]?.[0]
    if (linked.focused?.side !== from || linked.focused.index !== index || to === undefined) return null
    return (
      <Button
        variant="default"
        size="xs"
        mt="xs"
        display="block"
        onClick={() => {
          target.current = { side: otherSide(from), index: to }
          setSide(otherSide(from))
        }}
      >
        {actions[from]}
      </Button>
    )
  }
  return (
    <Tabs value={side} onChange={(next) => setSide(next === 'elements' ? 'elements' : 'blocks')}>
      <Tabs.List mb="sm" aria-label={texts.title}>
        {sides.map((each) => (
          <Tabs.Tab key={each} value={each}>
            {titles[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sides.map((each) => (
        <Tabs.Panel key={each} value={each}>
          <Pane side={each} content={content} linked={linked} action={action(each)} label={titles[each]} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function Column({ side, content, linked }: PanesProps & { side: Side }) {
  return (
    <div className={classes.column}>
      <Text fw={600}>{titles[side]}</Text>
      <Pane side={side} content={content} linked={linked} action={noAction} label={titles[side]} />
    </div>
  )
}

const noAction = () => null

type PaneProps = PanesProps & { side: Side; action: (index: number) => ReactNode; label: string }

function Pane({ side, content, linked, action, label }: PaneProps) {
  const { blocks, elements, total_blocks: allBlocks, total_elements: allElements } = content
  const [shown, all] = side === 'blocks' ? [blocks.length, allBlocks] : [elements.length, allElements]
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields. */}
      <div ref={linked.panes[side]} className={classes.pane} data-side={side} role="group" aria-label={label}>
        {side === 'blocks' ? (
          <Blocks blocks={blocks} item={linked.item(side)} action={action} />
        ) : (
          <Elements elements={elements} item={linked.item(side)} action={action} />
        )}
        {shown === 0 ? <Text c="dimmed">{texts.noElements}</Text> : null}
      </div>
      {shown < all ? (
        <Text size="sm" c="dimmed" className="figures">
          {texts.cut(shown, all)}
        </Text>
      ) : null}
    </>
  )
}
