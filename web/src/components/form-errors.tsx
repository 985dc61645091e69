import { Alert } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import classes from './form-errors.module.css'

/** Errors of the form as a whole, read out at once. */
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
