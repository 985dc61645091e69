import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx'
import { FormErrors } from '../../../components/form-errors.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { useNotices } from '../../../components/notices.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useForm } from '../../../schema-form/form.ts'
import { useAction } from '../../../service/action.ts'
import { ApiError } from '../../../service/errors.ts'
import { useApi } from '../../../service/session.ts'
import { identityTexts } from '../../../texts/identity.ts'
import type { IdentitySettings } from './types.ts'

const texts = identityTexts.provider
const PATH = '/identity'
const MAPPINGS = ['email', 'table', 'account_id'] as const
/** As tall as the form, so that nothing moves. */
const FORM_HEIGHT = 620

const schema = z.object({
  issuer: z.string().trim().min(1, texts.issuerMissing),
  audience: z.string().trim().min(1, texts.audienceMissing),
  mapping: z.enum(MAPPINGS),
  claim: z.string(),
  jwks_url: z.string(),
  trust_email: z.boolean(),
})

const NEW: z.input<typeof schema> = {
  issuer: '',
  audience: '',
  mapping: 'email',
  claim: '',
  jwks_url: '',
  trust_email: false,
}

export function ProviderPanel() {
  const api = useApi()
  const settings = useQuery({
    ...api.query<IdentitySettings | null>(PATH),
    queryFn: async ({ signal }) => {
      try {
        return await api.get<IdentitySettings>(PATH, { signal })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })
  return (
    <Panel title={texts.title} description={texts.text}>
      <Loaded query={settings} size={FORM_HEIGHT}>
        {(stored) => <ProviderForm key={JSON.stringify(stored)} stored={stored} />}
      </Loaded>
    </Panel>
  )
}

function ProviderForm({ stored }: { stored: IdentitySettings | null }) {
  const api = useApi()
  const notices = useNotices()
  const form = useForm({
    schema,
    initial: stored ? { ...stored, jwks_url: stored.jwks_url ?? '' } : NEW,
    submit: async (values) => {
      await api.put(PATH, values)
      notices.success(texts.saved)
      await api.refresh(PATH)
    },
  })
  const trust = form.field('trust_email')
  return (
    <form {...form.form}>
      <Stack maw={560}>
        <FormErrors failure={form.failure} />
        <TextInput label={texts.issuer} description={texts.issuerHelp} {...form.field('issuer')} />
        <TextInput label={texts.audience} description={texts.audienceHelp} {...form.field('audience')} />
        <NativeSelect
          label={texts.mapping}
          {...form.field('mapping')}
          data={MAPPINGS.map((value) => ({ value, label: texts.mappings[value] }))}
        />
        <TextInput label={texts.claim} description={texts.claimHelp} {...form.field('claim')} />
        <TextInput label={texts.jwks} description={texts.jwksHelp} {...form.field('jwks_url')} />
        <Checkbox
          label={texts.trust}
          description={texts.trustHelp}
          checked={trust.value}
          onChange={(event) => trust.onChange(event.currentTarget.checked)}
        />
        <Group gap="xs">
          <Button type="submit" loading={form.sending}>
            {texts.save}
          </Button>
          {stored ? <RemoveSettings /> : null}
        </Group>
      </Stack>
    </form>
  )
}

function RemoveSettings() {
  const api = useApi()
  const [opened, setOpened] = useState(false)
  const remove = useAction(() => api.delete(PATH), {
    refreshes: [PATH],
    notice: texts.removed,
    showsError: false,
  })
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {texts.remove}
      </Button>
      <ConfirmDialog
        opened={opened}
        title={texts.removeTitle}
        confirm={texts.remove}
        destructive
        onConfirm={() => remove.mutateAsync()}
        onClose={() => setOpened(false)}
      >
        {texts.removeText}
      </ConfirmDialog>
    </>
  )
}
