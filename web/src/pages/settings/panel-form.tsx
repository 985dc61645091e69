import { Button, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { FormErrors } from '../../components/form-errors.tsx'
import { Panel } from '../../components/panel.tsx'
import type { useForm } from '../../schema-form/form.ts'

type Props = {
  title: string
  description?: string
  form: Pick<ReturnType<typeof useForm>, 'form' | 'failure' | 'sending'>
  /** Without it, the form is only shown. */
  submit: string | undefined
  children: ReactNode
}

/** A short form in a panel of its own. */
export function PanelForm({ title, description, form, submit, children }: Props) {
  return (
    <Panel title={title} description={description}>
      <form {...form.form}>
        <Stack maw={400}>
          <FormErrors failure={form.failure} />
          {children}
          {submit ? (
            <Button
              type="submit"
              variant="default"
              loading={form.sending}
              style={{ alignSelf: 'flex-start' }}
            >
              {submit}
            </Button>
          ) : null}
        </Stack>
      </form>
    </Panel>
  )
}
