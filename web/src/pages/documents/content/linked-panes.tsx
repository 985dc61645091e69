import { Button, Group, SegmentedControl, Tabs, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { documentTexts } from '../../../texts/documents.ts'
import type { DocumentContent } from '../types.ts'
import { Blocks } from './blocks.tsx'
import classes from './content.module.css'
import { Elements } from './elements.tsx'
import { otherSide, type Position, type Side } from './links.ts'
import { type DocumentKey, PagePicture } from './page-picture.tsx'
import { type Linked, useLinked } from './use-linked.ts'

const texts = documentTexts.content
type View = Side | 'page'
const titles: Record<View, string> = {
  page: texts.page,
  blocks: texts.document,
  elements: texts.elements,
}
const actions: Record<Side, string> = { blocks: texts.showElement, elements: texts.showBlock }
const sides: readonly View[] = ['blocks', 'elements']

type Props = { documentKey: DocumentKey; content: DocumentContent }

/** Document and elements, in columns or on a phone in tabs; a PDF has its pages too. */
export function LinkedPanes({ documentKey, content }: Props) {
  const linked = useLinked(content)
  const isNarrow = useMediaQuery('(max-width: 62em)', undefined, { getInitialValueInEffect: false })
  const views: readonly View[] = isPdf(content) ? ['page', ...sides] : sides
  const pagePane = useRef<HTMLDivElement>(null)
  const panes = { documentKey, content, linked, views, pagePane }
  return isNarrow ? <TabbedPanes {...panes} /> : <Columns {...panes} />
}

export function isPdf({ filetype }: DocumentContent): boolean {
  return filetype === 'application/pdf'
}

type PanesProps = Props & {
  linked: Linked
  views: readonly View[]
  pagePane: RefObject<HTMLDivElement | null>
}

function TabbedPanes({ views, linked, pagePane, ...panes }: PanesProps) {
  const [view, setView] = useState(views[0])
  const target = useRef<Position | 'page'>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the other tab is visible.
  useEffect(() => {
    if (target.current === 'page') pagePane.current?.focus()
    else if (target.current) linked.focus(target.current)
    target.current = undefined
  }, [view])
  /** Buttons of the focused item open its counterpart and its page. */
  const action = (from: Side) => (index: number) => {
    if (linked.focused?.side !== from || linked.focused.index !== index) return null
    const to = linked.links[from][index]?.[0]
    const show = (next: Position | 'page') => () => {
      target.current = next
      setView(next === 'page' ? 'page' : next.side)
    }
    return (
      <Group gap="xs" mt="xs">
        {to === undefined ? null : (
          <Button variant="default" size="xs" onClick={show({ side: otherSide(from), index: to })}>
            {actions[from]}
          </Button>
        )}
        {views.includes('page') ? (
          <Button variant="default" size="xs" onClick={show('page')}>
            {texts.showPage}
          </Button>
        ) : null}
      </Group>
    )
  }
  return (
    <Tabs value={view} onChange={(next) => setView(views.find((each) => each === next))}>
      <Tabs.List mb="sm" aria-label={texts.title}>
        {views.map((each) => (
          <Tabs.Tab key={each} value={each} px={{ base: 8, xs: 'md' }}>
            {titles[each]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {views.map((each) => (
        <Tabs.Panel key={each} value={each}>
          {each !== 'page' ? (
            <Pane side={each} {...panes} linked={linked} action={action(each)} />
          ) : view === 'page' ? (
            <PagePicture {...panes} linked={linked} pane={pagePane} />
          ) : null}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}

function Columns({ views, pagePane, ...panes }: PanesProps) {
  const hasPages = views.includes('page')
  const [left, setLeft] = useState(views[0])
  return (
    <>
      <Text size="sm" c="dimmed">
        {left === 'page' ? texts.pageHint : texts.hint}
      </Text>
      <div className={classes.columns}>
        <div className={classes.column}>
          {hasPages ? (
            <SegmentedControl
              size="xs"
              aria-label={texts.left}
              data={(['page', 'blocks'] as const).map((value) => ({ value, label: titles[value] }))}
              value={left ?? 'page'}
              onChange={setLeft}
            />
          ) : (
            <Text fw={600}>{titles.blocks}</Text>
          )}
          {left === 'page' ? (
            <PagePicture {...panes} pane={pagePane} />
          ) : (
            <Pane side="blocks" {...panes} action={noAction} />
          )}
        </div>
        <div className={classes.column}>
          <Text fw={600}>{titles.elements}</Text>
          <Pane side="elements" {...panes} action={noAction} />
        </div>
      </div>
    </>
  )
}

const noAction = () => null

type PaneProps = Pick<PanesProps, 'content' | 'linked'> & { side: Side; action: (index: number) => ReactNode }

function Pane({ side, content, linked, action }: PaneProps) {
  const { blocks, elements, total_blocks: allBlocks, total_elements: allElements } = content
  const [shown, all] = side === 'blocks' ? [blocks.length, allBlocks] : [elements.length, allElements]
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields. */}
      <div
        ref={linked.panes[side]}
        className={classes.pane}
        data-side={side}
        role="group"
        aria-label={titles[side]}
      >
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
