import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import classes from './form-errors.module.css'

/** What concerns a form as a whole, read out as soon as it is there. */
export function FormErrors({ failure }: { failure: string | undefined }) {
  return (
    <div role="alert" className={classes.place}>
      {failure ? (
        <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} p="sm">
          {failure}
        </Alert>
      ) : null}
    </div>
  )
}
