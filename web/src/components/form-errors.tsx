import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import classes from './form-errors.module.css'

/** Errors of the whole form, announced to screen readers; a new one scrolls into view and takes the focus. */
export function FormErrors({ failure }: { failure: string | undefined }) {
  const region = useRef<HTMLDivElement>(null)
  const before = useRef(failure)
  useEffect(() => {
    const isNew = failure !== undefined && failure !== before.current
    before.current = failure
    if (!isNew) return
    region.current?.focus({ preventScroll: true })
    region.current?.scrollIntoView({ block: 'nearest' })
  }, [failure])
  return (
    <div role="alert" className={classes.region} ref={region} tabIndex={-1}>
      {failure ? (
        <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} p="sm">
          <span style={{ overflowWrap: 'anywhere' }}>{failure}</span>
        </Alert>
      ) : null}
    </div>
  )
}
