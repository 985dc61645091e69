import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import classes from './hint.module.css'

type Place = { left: number; top: number; below: boolean }

// Half of the widest hint, and room for three lines above.
const HALF_WIDTH = 144
const ROOM_ABOVE = 72

/** A text on hover, focus and touch. Small, because the first screen shows times; Mantine's tooltip weighs 12 KB. */
export function Hint({ text, children }: { text: string; children: ReactNode }) {
  const id = useId()
  const target = useRef<HTMLSpanElement>(null)
  const [place, setPlace] = useState<Place | null>(null)
  const show = () => setPlace(target.current ? placeOf(target.current.getBoundingClientRect()) : null)
  const hide = () => setPlace(null)

  // Scrolling moves the target, and Escape hides a hint that covers something (WCAG 1.4.13).
  useEffect(() => {
    if (!place) return
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setPlace(null)
    const onScroll = () => setPlace(null)
    document.addEventListener('keydown', onKey)
    window.addEventListener('scroll', onScroll, { capture: true, passive: true })
    return () => {
      document.removeEventListener('keydown', onKey)
      window.removeEventListener('scroll', onScroll, { capture: true })
    }
  }, [place])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: shows text, and does nothing.
    <span
      ref={target}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users need the text.
      tabIndex={0}
      aria-describedby={place ? id : undefined}
      onMouseEnter={show}
      onMouseLeave={hide}
      onFocus={show}
      onBlur={hide}
      onTouchStart={show}
    >
      {children}
      {place ? (
        <span
          role="tooltip"
          id={id}
          className={classes.hint}
          data-below={place.below || undefined}
          style={{ left: place.left, top: place.top }}
        >
          {text}
        </span>
      ) : null}
    </span>
  )
}

/** Above the target and inside the window. */
function placeOf({ left, width, top, bottom }: DOMRect): Place {
  const half = Math.min(HALF_WIDTH, window.innerWidth / 2)
  const middle = Math.min(Math.max(left + width / 2, half), window.innerWidth - half)
  const below = top < ROOM_ABOVE
  return { left: middle, top: below ? bottom : top, below }
}
