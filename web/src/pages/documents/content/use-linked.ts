import { type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { DocumentContent } from '../types.ts'
import { isMarked, type Links, linksOf, otherSide, type Position, positionAfter, type Side } from './links.ts'

/** Attributes of one block or element. */
export type ItemProps = {
  tabIndex: number
  'data-index': number
  'data-marked': true | undefined
  'data-active': true | undefined
  onMouseEnter: () => void
  onMouseLeave: () => void
  onFocus: () => void
  onKeyDown: (event: KeyboardEvent<HTMLElement>) => void
}

type Pane = RefObject<HTMLDivElement | null>
export type Linked = {
  links: Links
  panes: Record<Side, Pane>
  item: (side: Side) => (index: number) => ItemProps
  /** The last focused item; it stays marked without a pointer. */
  focused: Position | undefined
  /** The item under the pointer, else the focused one. */
  active: Position | undefined
  focus: (position: Position) => void
}

/** Marks an item and its counterparts on hover and focus; arrow keys move. */
export function useLinked(content: DocumentContent): Linked {
  const links = useMemo(() => linksOf(content), [content])
  const panes: Record<Side, Pane> = { blocks: useRef(null), elements: useRef(null) }
  const [focused, setFocused] = useState<Position>()
  const [hovered, setHovered] = useState<Position>()
  const active = hovered ?? focused

  // biome-ignore lint/correctness/useExhaustiveDependencies: refs are stable.
  useEffect(() => {
    if (!active) return
    const side = otherSide(active.side)
    const first = links[active.side][active.index]?.[0]
    if (first !== undefined) scrollInside(panes[side].current, itemIn(panes[side], first))
  }, [active, links])

  const focus = ({ side, index }: Position) => {
    const target = itemIn(panes[side], index)
    target?.focus({ preventScroll: true })
    scrollInside(panes[side].current, target)
    // Where the pane itself does not scroll, the window does.
    target?.scrollIntoView({ block: 'nearest' })
  }

  const item = (side: Side) => (index: number) => {
    const position = { side, index }
    const isFocused = focused?.side === side && focused.index === index
    const isFirst = focused?.side !== side && index === 0
    return {
      tabIndex: isFocused || isFirst ? 0 : -1,
      'data-index': index,
      'data-marked': isMarked(links, active, position) || undefined,
      'data-active': isFocused || undefined,
      onMouseEnter: () => setHovered(position),
      onMouseLeave: () => setHovered(undefined),
      onFocus: () => setFocused(position),
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        // Tables and buttons inside use the keys themselves.
        if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return
        const to = positionAfter(links, position, event.key)
        if (!to) return
        event.preventDefault()
        setHovered(undefined)
        focus(to)
      },
    } satisfies ItemProps
  }
  return { links, panes, item, focused, active, focus }
}

function itemIn(pane: Pane, index: number): HTMLElement | null {
  return pane.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? null
}

const MARGIN_PX = 16

/** Scrolls the pane alone, never the page under the pointer. */
export function scrollInside(pane: HTMLElement | null, item: HTMLElement | null): void {
  if (!pane || !item) return
  const frame = pane.getBoundingClientRect()
  const box = item.getBoundingClientRect()
  const isVisible = box.top >= frame.top && box.bottom <= frame.bottom
  if (!isVisible) pane.scrollTo({ top: pane.scrollTop + box.top - frame.top - MARGIN_PX })
}
